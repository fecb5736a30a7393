// 28.1: One atomic per warp
//
// Compute in c[0] the sum of n words, modulo 2^32. Every thread adds its own element to c[0], and
// additions to one address are serialized. Let the lanes of each warp combine their elements first,
// so that one lane adds for all 32. The result must stay correct for every n.

#include <cuda_runtime.h>

#include <cstddef>

__global__ void sum(const unsigned* a, unsigned* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicAdd(c, a[i]);
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
