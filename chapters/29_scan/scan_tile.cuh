// The scan of a tile: within a warp by shuffles, between the warps of a block by shared memory.
#pragma once

#include "tile.cuh"

//! [scan_tile]
// Returns the sum of x over the lanes of a warp up to and including this one.
__device__ inline unsigned scan_warp(unsigned x)
{
    for (unsigned lanes = 1; lanes < 32; lanes *= 2) {
        const unsigned y = __shfl_up_sync(0xffffffff, x, lanes);
        x += threadIdx.x % 32 >= lanes ? y : 0;
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

// Returns, of a value x per warp, the sum over the warps before this one (x) and over all warps of
// the block (y). `warps` is shared memory for 32 words that no thread reads any more. Contains a
// barrier.
__device__ inline uint2 before_warp(unsigned x, unsigned* warps)
{
    const unsigned lane = threadIdx.x % 32;
    const unsigned warp = threadIdx.x / 32;
    if (lane == 0) {
        warps[warp] = x;
    }
    __syncthreads();
    const unsigned of_lane = lane < blockDim.x / 32 ? warps[lane] : 0;
    return make_uint2(sum_warp(lane < warp ? of_lane : 0), sum_warp(of_lane));
}

// Replaces each word of a tile by the sum of all up to it, and returns the sum of the tile. `warps`
// is that of before_warp().
template<unsigned vectors>
__device__ unsigned scan_tile(uint4 (&v)[vectors], unsigned* warps)
{
    unsigned before = 0; // in the warp
    for (unsigned k = 0; k < vectors; ++k) {
        v[k].y += v[k].x;
        v[k].z += v[k].y;
        v[k].w += v[k].z;
        const unsigned x = scan_warp(v[k].w);
        v[k] = add_to_four(v[k], before + x - v[k].w);
        before += __shfl_sync(0xffffffff, x, 31);
    }
    const uint2 of_block = before_warp(before, warps);
    for (unsigned k = 0; k < vectors; ++k) {
        v[k] = add_to_four(v[k], of_block.x);
    }
    return of_block.y;
}
//! [scan_tile]
