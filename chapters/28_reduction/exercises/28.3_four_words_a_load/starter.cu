// 28.3: Vectorized reduction
//
// Compute in c[0] the sum of n words, modulo 2^32, with the grid that the check requests, in blocks
// of 256 threads. Each load reads one word. Let it read four words, 16 bytes, so that the same
// number of loads keeps four times as many bytes in flight. a begins at a multiple of 256 bytes; n
// is arbitrary.

#include <cuda_runtime.h>

#include <cstddef>

constexpr unsigned threads = 256;

__global__ void sum(const unsigned* a, unsigned* c, std::size_t n)
{
    unsigned x = 0;
    const std::size_t step = std::size_t{gridDim.x} * threads;
    for (std::size_t i = std::size_t{blockIdx.x} * threads + threadIdx.x; i < n; i += step) {
        x += a[i];
    }
    for (unsigned offset = 16; offset > 0; offset /= 2) {
        x += __shfl_down_sync(0xffffffff, x, offset);
    }
    if (threadIdx.x % 32 == 0) {
        atomicAdd(c, x);
    }
}

// Called with n words, at most 2^31, in device memory; c has one, of any value.
void solve(const unsigned* a, unsigned* c, std::size_t n, unsigned blocks)
{
    cudaMemsetAsync(c, 0, sizeof *c);
    sum<<<blocks, threads>>>(a, c, n);
}
