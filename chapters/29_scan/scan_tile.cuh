// The scan of a tile: within a warp by shuffles, and between the warps of a block through shared
// memory.
#pragma once

#include "tile.cuh"

//! [scan_tile]
// Returns the sum of x over the lanes of a warp up to and including this one.
__device__ inline unsigned scan_warp(unsigned x)
{
    for (unsigned offset = 1; offset < 32; offset *= 2) {
        const unsigned y = __shfl_up_sync(0xffffffff, x, offset);
        x += threadIdx.x % 32 >= offset ? y : 0;
    }
    return x;
}

// Returns the sum of x over all lanes of a warp.
__device__ inline unsigned sum_warp(unsigned x)
{
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    return __reduce_add_sync(0xffffffff, x); // one instruction
#else
    return __shfl_sync(0xffffffff, scan_warp(x), 31);
#endif
}

// Given one value x per warp, returns the sum over the warps before this one in .x, and the sum
// over all warps of the block in .y. `warp_sums` is shared memory of 32 words that no thread reads
// any more. Contains a barrier.
__device__ inline uint2 scan_warp_sums(unsigned x, unsigned* warp_sums)
{
    const unsigned lane = threadIdx.x % 32;
    const unsigned warp = threadIdx.x / 32;
    if (lane == 0) {
        warp_sums[warp] = x;
    }
    __syncthreads();
    const unsigned warp_sum = lane < blockDim.x / 32 ? warp_sums[lane] : 0;
    return make_uint2(sum_warp(lane < warp ? warp_sum : 0), sum_warp(warp_sum));
}

// Replaces each word of a block's tile by its inclusive prefix sum within the tile, and returns the
// sum of the tile. `warp_sums` is that of scan_warp_sums().
template<unsigned vectors>
__device__ unsigned scan_tile(uint4 (&v)[vectors], unsigned* warp_sums)
{
    unsigned warp_sum = 0; // of the vectors so far
    for (unsigned k = 0; k < vectors; ++k) {
        v[k].y += v[k].x;
        v[k].z += v[k].y;
        v[k].w += v[k].z;
        const unsigned x = scan_warp(v[k].w);
        v[k] = add_to_each(v[k], warp_sum + x - v[k].w);
        warp_sum += __shfl_sync(0xffffffff, x, 31);
    }
    const uint2 sums = scan_warp_sums(warp_sum, warp_sums);
    for (unsigned k = 0; k < vectors; ++k) {
        v[k] = add_to_each(v[k], sums.x);
    }
    return sums.y;
}
//! [scan_tile]
