// A scan in one launch: a block gets the sum of all tiles before its own from their states.
#pragma once

#include "tile_states.cuh"

//! [one_pass]
// c = inclusive prefix sums of a, by look-back or chained. states[0] is the counter of tiles, and
// states[1 + t] the state of tile t; all are 0 at first. Launch: a block per tile, of up to 1,024
// threads with `vectors` times four words each.
template<unsigned vectors, bool looks_back>
__global__ void one_pass(const unsigned* a, unsigned* c, std::size_t n, unsigned long long* states)
{
    __shared__ unsigned warp_sums[32], broadcast;
    const unsigned tile = next_tile_index(&states[0], &broadcast);
    uint4 v[vectors];
    load_tile(v, a, n, tile);
    const unsigned sum = scan_tile(v, warp_sums);
    const unsigned exclusive_prefix =
        exclusive_prefix_of_tile<looks_back>(&states[1], tile, sum, &broadcast);
    store_tile(v, exclusive_prefix, c, n, tile);
}
//! [one_pass]
