// 28.3: Four words a load, a solution
//
// A vector of type uint4 comes in one load. There are n / 4 of them, and the n % 4 words that are
// no vector are for the first threads of one block: a loop of words alone would read all of a, and
// a last vector would end behind it.

#include <cuda_runtime.h>

#include <cstddef>

constexpr unsigned threads = 256;

__global__ void sum(const unsigned* a, unsigned* c, std::size_t n)
{
    const uint4* fours = reinterpret_cast<const uint4*>(a);
    unsigned x = 0;
    const std::size_t step = std::size_t{gridDim.x} * threads;
    for (std::size_t i = std::size_t{blockIdx.x} * threads + threadIdx.x; i < n / 4; i += step) {
        const uint4 v = fours[i];
        x += v.x + v.y + v.z + v.w;
    }
    if (blockIdx.x == 0 && threadIdx.x < n % 4) {
        x += a[n / 4 * 4 + threadIdx.x];
    }
    for (unsigned lanes = 16; lanes > 0; lanes /= 2) {
        x += __shfl_down_sync(0xffffffff, x, lanes);
    }
    if (threadIdx.x % 32 == 0) {
        atomicAdd(c, x);
    }
}

// Called with n words in device memory; c has one, of any value.
void solve(const unsigned* a, unsigned* c, std::size_t n, unsigned blocks)
{
    cudaMemsetAsync(c, 0, sizeof *c);
    sum<<<blocks, threads>>>(a, c, n);
}
