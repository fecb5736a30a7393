// Words in their order, by three launches: how many each tile keeps, a scan of those, and the
// words.
#pragma once

#include "../29_scan/scan_sums.cuh"
#include "keep.cuh"

//! [three_kernels]
template<unsigned words>
__global__ void count_tiles(const unsigned* a, unsigned* sums, std::size_t n)
{
    __shared__ unsigned warps[32];
    unsigned x[words];
    load_words(x, a, n, blockIdx.x);
    const uint2 kept = before_warp(count_kept(x), warps); // before the warp, and all
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = kept.y;
    }
}

template<unsigned words>
__global__ void write_tiles(const unsigned* a, unsigned* c, unsigned* count, std::size_t n,
                            const unsigned* sums)
{
    __shared__ unsigned warps[32];
    unsigned x[words];
    load_words(x, a, n, blockIdx.x);
    const unsigned before = blockIdx.x > 0 ? sums[blockIdx.x - 1] : 0;
    write_kept(x, c + before + before_warp(count_kept(x), warps).x);
    if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0) {
        *count = sums[blockIdx.x];
    }
}
//! [three_kernels]
