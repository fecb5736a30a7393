// Which words are kept, and how a warp counts and writes those that it keeps.
#pragma once

#include "common/chapter.hpp"

// Returns the index, within a tile, of a lane's first word. Its next words follow every 32 words.
template<unsigned words>
__device__ unsigned first_word()
{
    return threadIdx.x / 32 * 32 * words + threadIdx.x % 32;
}

// Loads a thread's words of a tile; past the end of the array, words that are not kept.
template<unsigned words>
__device__ void load_words(unsigned (&x)[words], const unsigned* a, std::size_t n, unsigned tile)
{
    const std::size_t first = std::size_t{tile} * blockDim.x * words + first_word<words>();
    for (unsigned k = 0; k < words; ++k) {
        const std::size_t i = first + 32 * k;
        x[k] = i < n ? a[i] : ~0U;
    }
}
// The same from a whole tile in shared memory.
template<unsigned words>
__device__ void load_words_from_slot(unsigned (&x)[words], const uint4* slot)
{
    const auto* first = reinterpret_cast<const unsigned*>(slot) + first_word<words>();
    for (unsigned k = 0; k < words; ++k) {
        x[k] = first[32 * k];
    }
}

//! [kept]
// Whether a word is kept: its highest bit is 0.
__device__ bool keep(unsigned x)
{
    return x >> 31 == 0;
}

// Returns how many words of a warp are kept.
template<unsigned words>
__device__ unsigned count_kept(const unsigned (&x)[words])
{
    unsigned count = 0;
    for (unsigned k = 0; k < words; ++k) {
        count += __popc(__ballot_sync(0xffffffff, keep(x[k])));
    }
    return count;
}

// Writes the kept words of a warp to consecutive words from `out` on.
template<unsigned words>
__device__ void write_kept(const unsigned (&x)[words], unsigned* out)
{
    const unsigned below = (1U << threadIdx.x % 32) - 1; // the lanes before this one
    for (unsigned k = 0; k < words; ++k) {
        const unsigned kept = __ballot_sync(0xffffffff, keep(x[k]));
        if (keep(x[k])) {
            out[__popc(kept & below)] = x[k];
        }
        out += __popc(kept);
    }
}
//! [kept]
