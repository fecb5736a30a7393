// 13.1: Prefetch managed pages
//
// The sum of 12.1, and it is right. But every page comes by a fault: those of a, b and c when the
// kernel requests them, those of c once more when the host reads. Let them all be where they are
// needed before anybody asks, on the way in and on the way back; prefetch() below queues such a
// move on the default stream. The arrays stay where they are: no memory of your own, no copies.

#include <cstddef>

using Read = void (*)(const float* c, std::size_t n);

__global__ void add(const float* a, const float* b, float* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i] + b[i];
    }
}

// cudaMemPrefetchAsync by the signature of the installed CUDA: moves `bytes` of managed memory.
void prefetch(const void* address, std::size_t bytes, bool to_device)
{
#if CUDART_VERSION >= 13000
    cudaMemLocation place{};
    place.type = to_device ? cudaMemLocationTypeDevice : cudaMemLocationTypeHost;
    cudaMemPrefetchAsync(address, bytes, place, 0, nullptr);
#else
    cudaMemPrefetchAsync(address, bytes, to_device ? 0 : cudaCpuDeviceId, nullptr);
#endif
}

// Called with arrays in managed memory, of any n up to 2^31; `read` runs on the host.
void solve(const float* a, const float* b, float* c, std::size_t n, Read read)
{
    const unsigned threads = 256;
    const unsigned blocks = static_cast<unsigned>((n + threads - 1) / threads);
    add<<<blocks, threads>>>(a, b, c, n);
    cudaDeviceSynchronize();
    read(c, n);
}
