// Tiles of words in the registers of a block: how they are loaded and stored.
//
// Tile t of a block of T threads, with k words per thread, has the words from t * k * T on. Each
// warp has a contiguous part of it, in which adjacent lanes load adjacent vectors of four words, so
// that each load of a warp is of whole lines.
#pragma once

#include "common/chapter.hpp"

// Adds x to each of four words.
__device__ inline uint4 add_to_each(uint4 v, unsigned x)
{
    return make_uint4(v.x + x, v.y + x, v.z + x, v.w + x);
}

// Returns the index, within a tile, of a lane's first vector of four words. Its next vectors follow
// every 32 vectors.
template<unsigned vectors>
__device__ std::size_t first_vector()
{
    return threadIdx.x / 32 * 32 * vectors + threadIdx.x % 32;
}

// Returns the same index within the array.
template<unsigned vectors>
__device__ std::size_t first_vector(unsigned tile)
{
    return std::size_t{tile} * blockDim.x * vectors + first_vector<vectors>();
}

// Loads a thread's words of a tile; 0 past the end of the array.
template<unsigned vectors>
__device__ void load_tile(uint4 (&v)[vectors], const unsigned* a, std::size_t n, unsigned tile)
{
    const std::size_t first = first_vector<vectors>(tile);
    if (4 * (first + 32 * (vectors - 1)) + 3 < n) {
        for (unsigned k = 0; k < vectors; ++k) {
            v[k] = reinterpret_cast<const uint4*>(a)[first + 32 * k];
        }
        return;
    }
    for (unsigned k = 0; k < vectors; ++k) {
        const std::size_t i = 4 * (first + 32 * k);
        v[k] = make_uint4(i < n ? a[i] : 0, i + 1 < n ? a[i + 1] : 0, i + 2 < n ? a[i + 2] : 0,
                          i + 3 < n ? a[i + 3] : 0);
    }
}

// Stores a thread's words of a tile, with `exclusive_prefix` added to each. __stcs(): they are not
// read again soon.
template<unsigned vectors>
__device__ void store_tile(const uint4 (&v)[vectors], unsigned exclusive_prefix, unsigned* c,
                           std::size_t n, unsigned tile)
{
    const std::size_t first = first_vector<vectors>(tile);
    for (unsigned k = 0; k < vectors; ++k) {
        const std::size_t i = first + 32 * k;
        const uint4 x = add_to_each(v[k], exclusive_prefix);
        if (4 * i + 3 < n) {
            __stcs(reinterpret_cast<uint4*>(c) + i, x);
            continue;
        }
        const unsigned last[] = {x.x, x.y, x.z};
#pragma unroll
        for (unsigned j = 0; j < 3; ++j) {
            if (4 * i + j < n) {
                c[4 * i + j] = last[j];
            }
        }
    }
}
