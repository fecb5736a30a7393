// Words in their order, by one launch.
#pragma once

#include "../29_scan/tile_states.cuh"
#include "keep.cuh"

//! [look_back]
template<unsigned words>
__global__ void __launch_bounds__(256, common::bound_blocks(5, 256))
    look_back(const unsigned* a, unsigned* c, unsigned* count, std::size_t n,
              unsigned long long* states)
{
    __shared__ unsigned warps[32], word;
    const unsigned tile = next_tile_index(&states[0], &word);
    unsigned x[words];
    load_words(x, a, n, tile);
    const uint2 kept = before_warp(count_kept(x), warps);
    const unsigned before = before_tile<true>(&states[1], tile, kept.y, &word);
    write_kept(x, c + before + kept.x);
    if (tile == gridDim.x - 1 && threadIdx.x == 0) {
        *count = before + kept.y;
    }
}
//! [look_back]
