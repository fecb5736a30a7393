// 13.1: Prefetch managed pages
//
// This is the sum of exercise 12.1, and its result is right. But every page migrates by a fault:
// pages of a, b and c when the kernel accesses them, pages of c again when the host reads them.
// Prefetch every page to the side that accesses it next, before the kernel and before the host.
// prefetch() below queues such a migration in the default stream. Use the given arrays: no memory
// of your own, no copies.

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
