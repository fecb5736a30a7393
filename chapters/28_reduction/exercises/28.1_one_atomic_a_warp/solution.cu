// 28.1: One atomic a warp, a solution
//
// Five rounds of shuffles put 32 elements together: after the first, 16 lanes have the sum of two
// each, and after the last, lane 0 has all of it. Every lane of the warp takes part in every
// shuffle; one that has no element brings a 0. An atomic of one lane is one sector.

#include <cuda_runtime.h>

#include <cstddef>

__global__ void sum(const unsigned* a, unsigned* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    unsigned x = i < n ? a[i] : 0;
    for (unsigned lanes = 16; lanes > 0; lanes /= 2) {
        x += __shfl_down_sync(0xffffffff, x, lanes);
    }
    if (threadIdx.x % 32 == 0) {
        atomicAdd(c, x);
    }
}

// Called with n words in device memory; c has one, of any value.
void solve(const unsigned* a, unsigned* c, std::size_t n)
{
    const unsigned threads = 256;
    const unsigned blocks = static_cast<unsigned>((n + threads - 1) / threads);
    cudaMemsetAsync(c, 0, sizeof *c);
    sum<<<blocks, threads>>>(a, c, n);
}
