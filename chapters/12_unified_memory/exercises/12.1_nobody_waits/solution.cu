// 12.1: The copy that is no longer there, a solution
//
// cudaMemcpy to the host had waited for the kernel before it. A launch waits for nothing, and a
// page that the host touches comes back whether the kernel has written it or not. So the host waits
// by itself.

#include <cstddef>

using Read = void (*)(const float* c, std::size_t n);

__global__ void add(const float* a, const float* b, float* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i] + b[i];
    }
}

void solve(const float* a, const float* b, float* c, std::size_t n, Read read)
{
    const unsigned threads = 256;
    const unsigned blocks = static_cast<unsigned>((n + threads - 1) / threads);
    add<<<blocks, threads>>>(a, b, c, n);
    cudaDeviceSynchronize();
    read(c, n);
}
