// Words in their order, in three launches: how many words each tile keeps, the scan of these
// counts, and the words.
#pragma once

// From chapter 29: the kernel scan_sums<<<1, 512>>>(sums, tiles), which scans the counts in place,
// and scan_warp_sums(x): the sum of x over the warps before this one, and over all warps of the
// block.
#include "../29_scan/scan_sums.cuh"
#include "keep.cuh"

//! [three_kernels]
// sums[t] = how many words tile t keeps. Launch of both kernels: a block of 256 threads per tile.
template<unsigned words>
__global__ void count_tiles(const unsigned* a, unsigned* sums, std::size_t n)
{
    __shared__ unsigned warp_sums[32];
    unsigned x[words];
    load_words(x, a, n, blockIdx.x);
    const uint2 kept = scan_warp_sums(count_kept(x), warp_sums); // in the warps before, and in all
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = kept.y;
    }
}

// Writes the kept words, given the inclusive prefix sums of the counts in `sums`.
template<unsigned words>
__global__ void write_tiles(const unsigned* a, unsigned* c, unsigned* count, std::size_t n,
                            const unsigned* sums)
{
    __shared__ unsigned warp_sums[32];
    unsigned x[words];
    load_words(x, a, n, blockIdx.x);
    const unsigned exclusive_prefix = blockIdx.x > 0 ? sums[blockIdx.x - 1] : 0;
    write_kept(x, c + exclusive_prefix + scan_warp_sums(count_kept(x), warp_sums).x);
    if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0) {
        *count = sums[blockIdx.x];
    }
}
//! [three_kernels]
