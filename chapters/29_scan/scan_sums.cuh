// The second of three kernels: chapter 31 launches it, too.
#pragma once

#include "scan_tile.cuh"

//! [scan_sums]
// One block scans the sums in place, tile by tile.
__global__ void scan_sums(unsigned* sums, unsigned tiles)
{
    __shared__ unsigned warps[32];
    unsigned before = 0;
    for (unsigned tile = 0; tile * 4 * blockDim.x < tiles; ++tile) {
        uint4 v[1];
        load_tile(v, sums, tiles, tile);
        const unsigned sum = scan_tile(v, warps);
        store_tile(v, before, sums, tiles, tile);
        before += sum;
        __syncthreads(); // no thread reads `warps` any more
    }
}
//! [scan_sums]
