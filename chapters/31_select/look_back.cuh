// Words in their order, in one launch.
#pragma once

// From chapter 29: next_tile_index(), which gives each block a tile in the order in which blocks
// start; scan_warp_sums(x), the sum of x over the warps before this one and over all warps of the
// block; and exclusive_prefix_of_tile(), which publishes a tile's sum and looks back for the sum of
// all tiles before.
#include "../29_scan/tile_states.cuh"
#include "keep.cuh"

//! [look_back]
// Launch: a block of 256 threads per tile of 256 * `words` words. states[0] is the counter of
// tiles, states[1 + t] the state of tile t; all are 0 at first.
template<unsigned words>
__global__ void __launch_bounds__(256, common::bound_blocks(5, 256))
    look_back(const unsigned* a, unsigned* c, unsigned* count, std::size_t n,
              unsigned long long* states)
{
    __shared__ unsigned warp_sums[32], broadcast;
    const unsigned tile = next_tile_index(&states[0], &broadcast);
    unsigned x[words];
    load_words(x, a, n, tile);
    const uint2 kept = scan_warp_sums(count_kept(x), warp_sums);
    const unsigned exclusive_prefix =
        exclusive_prefix_of_tile<true>(&states[1], tile, kept.y, &broadcast);
    write_kept(x, c + exclusive_prefix + kept.x);
    if (tile == gridDim.x - 1 && threadIdx.x == 0) {
        *count = exclusive_prefix + kept.y;
    }
}
//! [look_back]
