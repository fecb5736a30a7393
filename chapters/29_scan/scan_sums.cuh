// The second of the three kernels, which scans the sums of tiles. Chapter 31 launches it, too.
#pragma once

#include "scan_tile.cuh"

//! [scan_sums]
// Scans n = `tiles` sums in place, 4 * blockDim.x at a time. Launch: one block.
__global__ void scan_sums(unsigned* sums, unsigned tiles)
{
    __shared__ unsigned warp_sums[32];
    unsigned exclusive_prefix = 0;
    for (unsigned tile = 0; tile * 4 * blockDim.x < tiles; ++tile) {
        uint4 v[1];
        load_tile(v, sums, tiles, tile);
        const unsigned sum = scan_tile(v, warp_sums);
        store_tile(v, exclusive_prefix, sums, tiles, tile);
        exclusive_prefix += sum;
        __syncthreads(); // no thread reads `warp_sums` any more
    }
}
//! [scan_sums]
