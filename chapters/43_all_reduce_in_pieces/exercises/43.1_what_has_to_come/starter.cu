// 43.1: Count the messages to wait for
//
// Two devices sum their arrays. Device 0 owns the first half of the elements and device 1 the
// second. Each sends the half that the other owns, adds its own half to the received one, and
// stores the sum on both devices. No kernel reads across the link. But on a GPU a sum is wrong now
// and then: find out what the additions do not wait for. Add no other waits, and none of the host.

#include <cstddef>

constexpr unsigned threads = 256;

__global__ void add(const float* own, const float* received, float* c, float* other, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        const float sum = own[i] + received[i];
        c[i] = sum;
        other[i] = sum;
    }
}

// Called with a[k], c[k] and staging[k], for the half that it owns, in the memory of device k, and
// a stream of device k. Peer access is on, and n is 3 or more; device 0 is in use before and after.
void solve(float* const* a, float* const* staging, float* const* c, std::size_t n,
           const cudaStream_t* streams)
{
    const std::size_t first[] = {0, n / 2};
    const std::size_t count[] = {n / 2, n - n / 2};
    for (int k = 0; k < 2; ++k) {
        const int owner = 1 - k;
        cudaSetDevice(k);
        cudaMemcpyPeerAsync(staging[owner], owner, a[k] + first[owner], k,
                            count[owner] * sizeof(float), streams[k]);
    }
    for (int k = 0; k < 2; ++k) {
        const unsigned blocks = static_cast<unsigned>((count[k] + threads - 1) / threads);
        cudaSetDevice(k);
        add<<<blocks, threads, 0, streams[k]>>>(a[k] + first[k], staging[k], c[k] + first[k],
                                                c[1 - k] + first[k], count[k]);
    }
    cudaSetDevice(0);
}
