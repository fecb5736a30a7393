// 41.1: While the next one crosses, a solution
//
// One stream copies and does not stop, another adds. An event behind each copy tells the second
// stream that the piece has come; that copies and additions are in two streams lets them run side
// by side. The event may be recorded again: a stream that waits does so for what was recorded last.

#include <algorithm>
#include <cstddef>

constexpr unsigned threads = 256;
constexpr unsigned pieces = 8;

__global__ void add(const float* a, const float* b, float* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i] + b[i];
    }
}

void solve(const float* a, const float* b, float* room, float* c, std::size_t n)
{
    cudaStream_t copies;
    cudaStream_t additions;
    cudaEvent_t come;
    cudaStreamCreate(&copies);
    cudaStreamCreate(&additions);
    cudaEventCreateWithFlags(&come, cudaEventDisableTiming);
    const std::size_t piece = (n + pieces - 1) / pieces;
    for (std::size_t first = 0; first < n; first += piece) {
        const std::size_t count = std::min(piece, n - first);
        const unsigned blocks = static_cast<unsigned>((count + threads - 1) / threads);
        cudaMemcpyPeerAsync(room + first, 0, b + first, 1, count * sizeof(float), copies);
        cudaEventRecord(come, copies);
        cudaStreamWaitEvent(additions, come, 0);
        add<<<blocks, threads, 0, additions>>>(a + first, room + first, c + first, count);
    }
    cudaStreamDestroy(copies); // when their work is done
    cudaStreamDestroy(additions);
    cudaEventDestroy(come);
}
