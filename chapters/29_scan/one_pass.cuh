// A scan by one launch: a block learns the sum before its tile from the states of other tiles.
#pragma once

#include "tile_states.cuh"

//! [one_pass]
// states[0] gives out the tiles' numbers, and behind it is a state for each.
template<unsigned vectors, bool looks_back>
__global__ void one_pass(const unsigned* a, unsigned* c, std::size_t n, unsigned long long* states)
{
    __shared__ unsigned warps[32], word;
    const unsigned tile = next_tile_index(&states[0], &word);
    uint4 v[vectors];
    load_tile(v, a, n, tile);
    const unsigned sum = scan_tile(v, warps);
    const unsigned before = before_tile<looks_back>(&states[1], tile, sum, &word);
    store_tile(v, before, c, n, tile);
}
//! [one_pass]
