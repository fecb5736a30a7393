// Words in any order: a counter in global memory gives each kept word its index.
#pragma once

#include "keep.cuh"

//! [any_order]
// One atomic per kept word. Launch of both kernels: a block per tile, with *count = 0.
__global__ void atomic(const unsigned* a, unsigned* c, unsigned* count, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n && keep(a[i])) {
        c[atomicAdd(count, 1)] = a[i];
    }
}

// One atomic per warp.
template<unsigned words>
__global__ void warp_aggregated(const unsigned* a, unsigned* c, unsigned* count, std::size_t n)
{
    unsigned x[words];
    load_words(x, a, n, blockIdx.x);
    const unsigned kept = count_kept(x);
    const unsigned first = threadIdx.x % 32 == 0 ? atomicAdd(count, kept) : 0;
    write_kept(x, c + __shfl_sync(0xffffffff, first, 0));
}
//! [any_order]
