// Counters in global memory, or partitioned among the shared memories of blocks.
#pragma once

#include "each_value.cuh"

#include <algorithm>

constexpr unsigned threads = 1024; // per block

// Returns the grid size of a persistent kernel whose groups of `blocks` blocks together have
// `counters` counters: as many groups as fit into `max_blocks` resident blocks, but no more than
// leave each group at least a quarter as many elements as counters.
inline unsigned grid_of(std::size_t n, std::size_t counters, unsigned blocks,
                        std::size_t max_blocks)
{
    const std::size_t min_elements = std::max(counters / 4, std::size_t{4} * blocks * threads);
    const std::size_t groups =
        std::max(std::min(n / min_elements, max_blocks / blocks), std::size_t{1});
    return static_cast<unsigned>(groups * blocks);
}

//! [global]
// Adds to the counters in global memory, one atomic per element. c has 2^(32 - shift) counters,
// which must be 0. Launch of all kernels of this chapter: persistent blocks of `threads` threads.
__global__ void global(const unsigned* a, unsigned* c, std::size_t n, unsigned shift)
{
    const std::size_t i = std::size_t{blockIdx.x} * threads + threadIdx.x;
    each_value(a, n, shift, i, std::size_t{gridDim.x} * threads,
               [&](unsigned x) { atomicAdd(&c[x], 1); });
}
//! [global]

//! [partitioned]
// Clears a block's counters in shared memory.
__device__ void clear(unsigned* counters, unsigned partition)
{
    for (unsigned k = threadIdx.x; k < partition; k += threads) {
        counters[k] = 0;
    }
}

// Adds a block's counters to those in global memory.
__device__ void add_to(unsigned* c, const unsigned* counters, unsigned partition)
{
    for (unsigned k = threadIdx.x; k < partition; k += threads) {
        atomicAdd(&c[k], counters[k]);
    }
}

// Groups of `blocks` adjacent blocks read the same elements. A block counts only the values of its
// partition, [first, first + partition), in `partition` counters of dynamic shared memory.
__global__ void __launch_bounds__(threads)
    partitioned(const unsigned* a, unsigned* c, std::size_t n, unsigned shift, unsigned partition,
                unsigned blocks, unsigned pass)
{
    extern __shared__ unsigned counters[];
    clear(counters, partition);
    __syncthreads();
    const unsigned first = (pass + blockIdx.x % blocks) * partition;
    const std::size_t i = std::size_t{blockIdx.x / blocks} * threads + threadIdx.x;
    each_value(a, n, shift, i, std::size_t{gridDim.x / blocks} * threads, [&](unsigned x) {
        if (x - first < partition) {
            atomicAdd(&counters[x - first], 1);
        }
    });
    __syncthreads();
    add_to(c + first, counters, partition);
}
//! [partitioned]
