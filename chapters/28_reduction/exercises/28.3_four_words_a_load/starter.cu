// 28.3: Vectorized reduction
//
// c[0] is to become the sum of n words, modulo 2^32, by the blocks that the check requests, of 256
// threads each. A thread loads a word at a time. Let it be four words, 16 bytes, so that four times
// as many bytes are in flight with as many loads. a begins at a multiple of 256 bytes, and n is
// what it is.

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
