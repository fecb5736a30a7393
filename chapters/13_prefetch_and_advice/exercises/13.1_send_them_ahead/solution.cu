// 13.1: Send the pages ahead, a solution
//
// c goes to the device as well: a store to a page that is on the host is a fault like any other. A
// prefetch keeps the order of its stream, so the one to the host runs behind the kernel; the host
// has to wait for it, not only for the kernel.

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

void solve(const float* a, const float* b, float* c, std::size_t n, Read read)
{
    const std::size_t bytes = n * sizeof(float);
    prefetch(a, bytes, true);
    prefetch(b, bytes, true);
    prefetch(c, bytes, true);
    const unsigned threads = 256;
    const unsigned blocks = static_cast<unsigned>((n + threads - 1) / threads);
    add<<<blocks, threads>>>(a, b, c, n);
    prefetch(c, bytes, false);
    cudaDeviceSynchronize();
    read(c, n);
}
