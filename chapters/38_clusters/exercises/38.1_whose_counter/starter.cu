// 38.1: Find the owner of a distributed counter
//
// How often does each of 2^16 values occur in the upper 16 bits of words? The counters are too many
// for a block, so those of a group have a share each: block r has the counters from number
// r * share on. All blocks of a group read the same words, and each has to count what is its own.
// Now each counts everything. Complete place_of(), which says where a counter is.

#include <cuda_runtime.h>

#include <cstddef>

constexpr unsigned values = 1 << 16;
constexpr unsigned threads = 512;

// Where, among the `share` counters of block `rank`, that of x is; `share` where it is another's.
__device__ unsigned place_of(unsigned x, unsigned rank, unsigned share)
{
    return (x + rank) % share;
}

__global__ void histogram(const unsigned* a, unsigned* c, std::size_t n, unsigned blocks,
                          unsigned share)
{
    extern __shared__ unsigned own[];
    for (unsigned k = threadIdx.x; k < share; k += threads) {
        own[k] = 0;
    }
    __syncthreads();
    const unsigned rank = blockIdx.x % blocks, group = blockIdx.x / blocks;
    const std::size_t step = std::size_t{gridDim.x / blocks} * threads;
    for (std::size_t i = std::size_t{group} * threads + threadIdx.x; i < n; i += step) {
        const unsigned place = place_of(a[i] >> 16, rank, share);
        if (place < share) {
            atomicAdd(&own[place], 1);
        }
    }
    __syncthreads();
    for (unsigned k = threadIdx.x; k < share && rank * share + k < values; k += threads) {
        atomicAdd(&c[rank * share + k], own[k]);
    }
}

// Called with n words in device memory; c has 2^16 counters, of any value. A group has `blocks`
// blocks: 6 or more, a power of two or not.
void solve(const unsigned* a, unsigned* c, std::size_t n, unsigned groups, unsigned blocks)
{
    const unsigned share = (values + blocks - 1) / blocks;
    cudaMemsetAsync(c, 0, values * sizeof *c);
    histogram<<<groups * blocks, threads, share * sizeof *c>>>(a, c, n, blocks, share);
}
