// 28.2: Warp reduction with a partial warp
//
// Compute in c[0] the sum of n words, modulo 2^32. Warps combine their elements by shuffles, in
// which all lanes must take part, and one lane adds the result. The sum is correct if n is a
// multiple of 256. Find out what is wrong for all other n, and fix it.

#include <cuda_runtime.h>

#include <cstddef>

__global__ void sum(const unsigned* a, unsigned* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    unsigned x = a[i < n ? i : n - 1];
    for (unsigned offset = 16; offset > 0; offset /= 2) {
        x += __shfl_down_sync(0xffffffff, x, offset);
    }
    if (threadIdx.x % 32 == 0) {
        atomicAdd(c, x);
    }
}

// Called with n words, at most 2^31, in device memory; c has one, of any value.
void solve(const unsigned* a, unsigned* c, std::size_t n)
{
    const unsigned threads = 256;
    const unsigned blocks = static_cast<unsigned>((n + threads - 1) / threads);
    cudaMemsetAsync(c, 0, sizeof *c);
    sum<<<blocks, threads>>>(a, c, n);
}
