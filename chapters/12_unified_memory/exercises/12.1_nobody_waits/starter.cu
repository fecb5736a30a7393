// 12.1: Synchronize before the host reads managed memory
//
// This program once had explicit copies. Managed memory needs none, so they were removed, and
// nothing else was changed: the kernel adds, and read() is what the host does with the sum. On a
// GPU it sometimes reads the old contents of c. Find out what was lost with the copies.

#include <cstddef>

using Read = void (*)(const float* c, std::size_t n);

__global__ void add(const float* a, const float* b, float* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i] + b[i];
    }
}

// Called with arrays in managed memory, of any n up to 2^31; `read` runs on the host.
void solve(const float* a, const float* b, float* c, std::size_t n, Read read)
{
    const unsigned threads = 256;
    const unsigned blocks = static_cast<unsigned>((n + threads - 1) / threads);
    add<<<blocks, threads>>>(a, b, c, n);
    read(c, n);
}
