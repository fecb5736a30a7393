// What a block knows of the tiles before its own: a word of 64 bits for each tile, in which a flag
// and a sum come together, so that nobody sees one without the other.
#pragma once

#include "scan_tile.cuh"

//! [states]
// Which tiles the sum in a state covers.
enum class Flag : unsigned
{
    invalid,   // as a memset leaves it
    aggregate, // the tile
    prefix     // all tiles up to this one
};

// Publishes a sum of a tile by one store of 64 bits, so that flag and sum arrive together.
__device__ inline void publish(unsigned long long* state, Flag flag, unsigned sum)
{
    const auto word = static_cast<unsigned long long>(flag) << 32U | sum;
    *static_cast<volatile unsigned long long*>(state) = word;
}

// Returns which tiles the sum of a state covers.
__device__ inline Flag flag_of(unsigned long long state)
{
    return static_cast<Flag>(state >> 32U);
}

// Waits until a state has been published, and returns it.
__device__ inline unsigned long long wait_for(const unsigned long long* state)
{
    unsigned long long word = 0;
    do {
        word = *static_cast<const volatile unsigned long long*>(state);
    } while (flag_of(word) == Flag::invalid);
    return word;
}
//! [states]

//! [look_back]
// Returns to all lanes of a warp the sum of all tiles before this one: asks 32 tiles at a time,
// until one of them has published its prefix.
__device__ inline unsigned sum_by_look_back(const unsigned long long* states, unsigned tile)
{
    const unsigned back = threadIdx.x % 32; // lane 0 asks the tile before, lane 1 the one before it
    unsigned before = 0;
    for (;; tile -= 32) {
        unsigned long long state = static_cast<unsigned long long>(Flag::prefix) << 32U;
        if (back < tile) { // before the first tile there is nothing, and that is known
            state = wait_for(&states[tile - 1 - back]);
        }
        const unsigned known = __ballot_sync(0xffffffff, flag_of(state) == Flag::prefix);
        const bool counts = (known & ((1U << back) - 1)) == 0; // no nearer tile knows
        before += sum_warp(counts ? static_cast<unsigned>(state) : 0);
        if (known != 0) {
            return before;
        }
    }
}
//! [look_back]

// Returns to all threads of a block the number of its tile: `counter` gives them out in the order
// in which blocks start, so that a block waits only for blocks that run already. `word` is shared
// memory. Contains barriers, as before_tile() does.
__device__ inline unsigned next_tile_index(unsigned long long* counter, unsigned* word)
{
    if (threadIdx.x == 0) {
        *word = static_cast<unsigned>(atomicAdd(counter, 1ULL));
    }
    __syncthreads();
    const unsigned tile = *word;
    __syncthreads(); // all have read it
    return tile;
}

// Returns to all threads of a block the sum of all tiles before its own, whose sum is `sum`: by
// look-back, or chained, from the prefix of the tile before.
template<bool looks_back>
__device__ unsigned before_tile(unsigned long long* states, unsigned tile, unsigned sum,
                                unsigned* word)
{
    if (threadIdx.x < 32) {
        unsigned before = 0;
        if (looks_back) {
            if (threadIdx.x == 0) {
                publish(&states[tile], Flag::aggregate, sum);
            }
            before = sum_by_look_back(states, tile);
        } else if (tile > 0) {
            before = static_cast<unsigned>(wait_for(&states[tile - 1]));
        }
        if (threadIdx.x == 0) {
            publish(&states[tile], Flag::prefix, before + sum);
            *word = before;
        }
    }
    __syncthreads();
    return *word;
}
