// The states of tiles, through which blocks exchange sums in one launch: a 64-bit word per tile, in
// which flag and sum are stored together, so that no block sees one without the other.
#pragma once

#include "scan_tile.cuh"

//! [states]
// Which tiles the sum in a state covers.
enum class Flag : unsigned
{
    invalid,         // none yet: 0, as a memset leaves it
    aggregate,       // this tile
    inclusive_prefix // all tiles up to and including this one
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
// Returns to all lanes of a warp the sum of all tiles before this one: it reads the states of 32
// tiles at a time, until one of them has published its inclusive prefix.
__device__ inline unsigned sum_by_look_back(const unsigned long long* states, unsigned tile)
{
    const unsigned distance = threadIdx.x % 32; // lane 0 reads the tile before, and so on
    unsigned exclusive_prefix = 0;
    for (;; tile -= 32) {
        unsigned long long state = static_cast<unsigned long long>(Flag::inclusive_prefix) << 32U;
        if (distance < tile) { // before the first tile the sum is 0
            state = wait_for(&states[tile - 1 - distance]);
        }
        const unsigned prefixes =
            __ballot_sync(0xffffffff, flag_of(state) == Flag::inclusive_prefix);
        const bool needed = (prefixes & ((1U << distance) - 1)) == 0; // no nearer prefix
        exclusive_prefix += sum_warp(needed ? static_cast<unsigned>(state) : 0);
        if (prefixes != 0) {
            return exclusive_prefix;
        }
    }
}
//! [look_back]

// Returns to all threads of a block the number of its tile. `counter` gives numbers out in the
// order in which blocks start, so that a block waits only for blocks that already run. `broadcast`
// is a word of shared memory. Contains barriers, as exclusive_prefix_of_tile() does.
__device__ inline unsigned next_tile_index(unsigned long long* counter, unsigned* broadcast)
{
    if (threadIdx.x == 0) {
        *broadcast = static_cast<unsigned>(atomicAdd(counter, 1ULL));
    }
    __syncthreads();
    const unsigned tile = *broadcast;
    __syncthreads(); // all have read it
    return tile;
}

// Returns to all threads of a block the sum of all tiles before its own, and publishes the prefix
// of its own tile, whose sum is `sum`. It looks back; or, chained, waits for the prefix of the tile
// before.
template<bool looks_back>
__device__ unsigned exclusive_prefix_of_tile(unsigned long long* states, unsigned tile,
                                             unsigned sum, unsigned* broadcast)
{
    if (threadIdx.x < 32) {
        unsigned exclusive_prefix = 0;
        if (looks_back) {
            if (threadIdx.x == 0) {
                publish(&states[tile], Flag::aggregate, sum);
            }
            exclusive_prefix = sum_by_look_back(states, tile);
        } else if (tile > 0) {
            exclusive_prefix = static_cast<unsigned>(wait_for(&states[tile - 1]));
        }
        if (threadIdx.x == 0) {
            publish(&states[tile], Flag::inclusive_prefix, exclusive_prefix + sum);
            *broadcast = exclusive_prefix;
        }
    }
    __syncthreads();
    return *broadcast;
}
