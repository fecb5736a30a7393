// A scan by three launches: the sum of each tile, a scan of those, and a scan of each tile.
#pragma once

#include "scan_sums.cuh"

//! [three_kernels]
template<unsigned vectors>
__global__ void tile_sums(const unsigned* a, unsigned* sums, std::size_t n)
{
    __shared__ unsigned warps[32];
    uint4 v[vectors];
    load_tile(v, a, n, blockIdx.x);
    const unsigned sum = scan_tile(v, warps);
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = sum;
    }
}

template<unsigned vectors>
__global__ void scan_tiles(const unsigned* a, unsigned* c, const unsigned* sums, std::size_t n)
{
    __shared__ unsigned warps[32];
    uint4 v[vectors];
    load_tile(v, a, n, blockIdx.x);
    scan_tile(v, warps);
    store_tile(v, blockIdx.x > 0 ? sums[blockIdx.x - 1] : 0, c, n, blockIdx.x);
}
//! [three_kernels]
