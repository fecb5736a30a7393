// Words in their order, by a persistent grid whose tiles the bulk copy engine prefetches.
#pragma once

#include "../29_scan/tile_ring.cuh"
#include "keep.cuh"

#ifdef __CUDACC__ // the CPU device has no bulk copy engine: the row says "GPU only"
//! [ring]
template<unsigned words>
struct Words
{
    unsigned x[words];
    uint2 kept; // in the warps before, and in the tile
};

// The persistent grid of chapter 29, whose blocks publish the sum of a tile ahead.
template<unsigned threads, unsigned words, unsigned stages>
__global__ void __launch_bounds__(threads, 1)
    ring(const unsigned* a, unsigned* c, unsigned* count, std::size_t n, unsigned long long* states)
{
    extern __shared__ __align__(128) uint4 slots[];
    __shared__ std::uint64_t barriers[stages];
    __shared__ unsigned warps[32], sums[32];
    TileRing<threads * words, stages> tiles(a, n, slots, barriers);
    process_tiles<true, Words<words>>(
        tiles, n, ~0U, states, sums,
        [](Words<words>& held, const uint4* stage) {
            words_of_stage(held.x, stage);
            held.kept = before_warp(count_kept(held.x), warps);
            return held.kept.y;
        },
        [&](const Words<words>& held, unsigned before, unsigned tile) {
            write_kept(held.x, c + before + held.kept.x);
            if (std::size_t{tile + 1} * threads * words >= n && threadIdx.x == 0) {
                *count = before + held.kept.y;
            }
        });
}
//! [ring]
#else
template<unsigned threads, unsigned words, unsigned stages>
__global__ void ring(const unsigned*, unsigned*, unsigned*, std::size_t, unsigned long long*)
{}
#endif
