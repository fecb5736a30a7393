// 43.1: What has to come, a solution
//
// The stream of device k keeps its own copy and its own addition in order, and that was all. The
// copy which brings what device k adds is in the other device's stream. So each device notes behind
// its copy how far it has come, and the other's stream waits for that, without the host.

#include <cstddef>

constexpr unsigned threads = 256;

__global__ void add(const float* own, const float* come, float* c, float* other, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        const float sum = own[i] + come[i];
        c[i] = sum;
        other[i] = sum;
    }
}

void solve(float* const* a, float* const* room, float* const* c, std::size_t n,
           const cudaStream_t* streams)
{
    const std::size_t first[] = {0, n / 2};
    const std::size_t count[] = {n / 2, n - n / 2};
    cudaEvent_t sent[2];
    for (int k = 0; k < 2; ++k) {
        const int owner = 1 - k;
        cudaSetDevice(k);
        cudaMemcpyPeerAsync(room[owner], owner, a[k] + first[owner], k,
                            count[owner] * sizeof(float), streams[k]);
        cudaEventCreateWithFlags(&sent[k], cudaEventDisableTiming);
        cudaEventRecord(sent[k], streams[k]);
    }
    for (int k = 0; k < 2; ++k) {
        const unsigned blocks = static_cast<unsigned>((count[k] + threads - 1) / threads);
        cudaSetDevice(k);
        cudaStreamWaitEvent(streams[k], sent[1 - k], 0);
        add<<<blocks, threads, 0, streams[k]>>>(a[k] + first[k], room[k], c[k] + first[k],
                                                c[1 - k] + first[k], count[k]);
    }
    cudaEventDestroy(sent[0]); // when they are reached
    cudaEventDestroy(sent[1]);
    cudaSetDevice(0);
}
