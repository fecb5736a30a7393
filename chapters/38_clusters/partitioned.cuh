// Counters in global memory, or in the shared memory of blocks: all of them, or a share.
#pragma once

#include "each_value.cuh"

#include <algorithm>

constexpr unsigned threads = 1024; // per block

// Persistent blocks, in groups of `blocks` that have all counters of a pass: as many groups as
// there is space for, but each with a quarter as many elements as counters, at least.
inline unsigned grid_of(std::size_t n, std::size_t counters, unsigned blocks, std::size_t room)
{
    const std::size_t least = std::max(counters / 4, std::size_t{4} * blocks * threads);
    const std::size_t groups = std::max(std::min(n / least, room / blocks), std::size_t{1});
    return static_cast<unsigned>(groups * blocks);
}

//! [global]
// The value of an element is what is left without its lower `down` bits.
__global__ void global(const unsigned* a, unsigned* c, std::size_t n, unsigned down)
{
    const std::size_t i = std::size_t{blockIdx.x} * threads + threadIdx.x;
    each_value(a, n, down, i, std::size_t{gridDim.x} * threads,
               [&](unsigned x) { atomicAdd(&c[x], 1); });
}
//! [global]

//! [partitioned]
__device__ void clear(unsigned* own, unsigned share)
{
    for (unsigned k = threadIdx.x; k < share; k += threads) {
        own[k] = 0;
    }
}

__device__ void add_to(unsigned* c, const unsigned* own, unsigned share)
{
    for (unsigned k = threadIdx.x; k < share; k += threads) {
        atomicAdd(&c[k], own[k]);
    }
}

// `blocks` neighbours read the same elements, and each counts those whose counters it has: `share`
// counters from number (pass + rank) * share on.
__global__ void __launch_bounds__(threads)
    partitioned(const unsigned* a, unsigned* c, std::size_t n, unsigned down, unsigned share,
                unsigned blocks, unsigned pass)
{
    extern __shared__ unsigned own[];
    clear(own, share);
    __syncthreads();
    const unsigned first = (pass + blockIdx.x % blocks) * share;
    const std::size_t i = std::size_t{blockIdx.x / blocks} * threads + threadIdx.x;
    each_value(a, n, down, i, std::size_t{gridDim.x / blocks} * threads, [&](unsigned x) {
        if (x - first < share) {
            atomicAdd(&own[x - first], 1);
        }
    });
    __syncthreads();
    add_to(c + first, own, share);
}
//! [partitioned]
