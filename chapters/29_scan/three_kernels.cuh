// A scan in three launches: the sum of each tile, the scan of these sums (scan_sums.cuh), and the
// scan of each tile.
#pragma once

#include "scan_sums.cuh"

//! [three_kernels]
// sums[t] = the sum of tile t. Launch of both kernels: a block per tile.
template<unsigned vectors>
__global__ void tile_sums(const unsigned* a, unsigned* sums, std::size_t n)
{
    __shared__ unsigned warp_sums[32];
    uint4 v[vectors];
    load_tile(v, a, n, blockIdx.x);
    const unsigned sum = scan_tile(v, warp_sums);
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = sum;
    }
}

// c = inclusive prefix sums of a, given those of the tiles in `sums`.
template<unsigned vectors>
__global__ void scan_tiles(const unsigned* a, unsigned* c, const unsigned* sums, std::size_t n)
{
    __shared__ unsigned warp_sums[32];
    uint4 v[vectors];
    load_tile(v, a, n, blockIdx.x);
    scan_tile(v, warp_sums);
    store_tile(v, blockIdx.x > 0 ? sums[blockIdx.x - 1] : 0, c, n, blockIdx.x);
}
//! [three_kernels]
