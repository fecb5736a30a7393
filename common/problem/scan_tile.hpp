/// \file
/// Tiles of words, in the registers of a block: loaded, scanned, stored.
///
/// Tile t of a block of T threads, with k words a thread, has the words from t * k * T on. Each
/// warp has a part of its own, and in that each lane four words at a time, or one, with its
/// neighbours' behind them: a load has whole lines.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

namespace common {

/// Each of the four words, and x.
__device__ inline uint4 add_to_four(uint4 v, unsigned x)
{
    return make_uint4(v.x + x, v.y + x, v.z + x, v.w + x);
}

/// Which four of a tile are a lane's first; the next are 32 further on.
template<unsigned fours>
__device__ std::size_t first_four()
{
    return threadIdx.x / 32 * 32 * fours + threadIdx.x % 32;
}

//! [load_tile]
/// Which four of the array are a lane's first in a tile.
template<unsigned fours>
__device__ std::size_t first_four(unsigned tile)
{
    return std::size_t{tile} * blockDim.x * fours + first_four<fours>();
}

/// A thread's words of a tile; 0 where the array has ended.
template<unsigned fours>
__device__ void load_tile(uint4 (&v)[fours], const unsigned* a, std::size_t n, unsigned tile)
{
    const std::size_t first = first_four<fours>(tile);
    if (4 * (first + 32 * (fours - 1)) + 3 < n) {
        for (unsigned k = 0; k < fours; ++k) {
            v[k] = reinterpret_cast<const uint4*>(a)[first + 32 * k];
        }
        return;
    }
    for (unsigned k = 0; k < fours; ++k) {
        const std::size_t i = 4 * (first + 32 * k);
        v[k] = make_uint4(i < n ? a[i] : 0, i + 1 < n ? a[i + 1] : 0, i + 2 < n ? a[i + 2] : 0,
                          i + 3 < n ? a[i + 3] : 0);
    }
}
//! [load_tile]

//! [load_words]
/// Which word of a tile is a thread's first where lanes have single words; the next is 32 further
/// on.
template<unsigned words>
__device__ unsigned first_word()
{
    return threadIdx.x / 32 * 32 * words + threadIdx.x % 32;
}

/// A thread's words of a tile, where lanes have single words; all bits 1 where the array has ended.
template<unsigned words>
__device__ void load_words(unsigned (&x)[words], const unsigned* a, std::size_t n, unsigned tile)
{
    const std::size_t first = std::size_t{tile} * blockDim.x * words + first_word<words>();
    for (unsigned k = 0; k < words; ++k) {
        const std::size_t i = first + 32 * k;
        x[k] = i < n ? a[i] : ~0U;
    }
}
/// The same of a whole tile that is in shared memory.
template<unsigned words>
__device__ void words_of_stage(unsigned (&x)[words], const uint4* stage)
{
    const auto* first = reinterpret_cast<const unsigned*>(stage) + first_word<words>();
    for (unsigned k = 0; k < words; ++k) {
        x[k] = first[32 * k];
    }
}
//! [load_words]

/// Stores a thread's words of a tile, with `before` added to each. They are not read again soon.
template<unsigned fours>
__device__ void store_tile(const uint4 (&v)[fours], unsigned before, unsigned* c, std::size_t n,
                           unsigned tile)
{
    const std::size_t first = first_four<fours>(tile);
    for (unsigned k = 0; k < fours; ++k) {
        const std::size_t i = first + 32 * k;
        const uint4 x = add_to_four(v[k], before);
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

//! [scan_tile]
/// The sum of x of the lanes of a warp up to this one.
__device__ inline unsigned scan_warp(unsigned x)
{
    for (unsigned lanes = 1; lanes < 32; lanes *= 2) {
        const unsigned y = __shfl_up_sync(0xffffffff, x, lanes);
        x += threadIdx.x % 32 >= lanes ? y : 0;
    }
    return x;
}

/// The sum of x of all lanes of a warp.
__device__ inline unsigned sum_warp(unsigned x)
{
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    return __reduce_add_sync(0xffffffff, x); // one instruction
#else
    return __shfl_sync(0xffffffff, scan_warp(x), 31);
#endif
}

/// Of what each warp of a block has: what those before this one have, and all. `warps` is 32 words
/// of shared memory that nobody reads any more. With a barrier in it.
__device__ inline uint2 before_warp(unsigned x, unsigned* warps)
{
    const unsigned lane = threadIdx.x % 32;
    const unsigned warp = threadIdx.x / 32;
    if (lane == 0) {
        warps[warp] = x;
    }
    __syncthreads();
    const unsigned of_lane = lane < blockDim.x / 32 ? warps[lane] : 0;
    return make_uint2(sum_warp(lane < warp ? of_lane : 0), sum_warp(of_lane));
}

/// Each word of a tile becomes the sum of all up to it; returns the sum of the tile. `warps` as
/// for before_warp().
template<unsigned fours>
__device__ unsigned scan_tile(uint4 (&v)[fours], unsigned* warps)
{
    unsigned before = 0; // in the warp
    for (unsigned k = 0; k < fours; ++k) {
        v[k].y += v[k].x;
        v[k].z += v[k].y;
        v[k].w += v[k].z;
        const unsigned x = scan_warp(v[k].w);
        v[k] = add_to_four(v[k], before + x - v[k].w);
        before += __shfl_sync(0xffffffff, x, 31);
    }
    const uint2 of_block = before_warp(before, warps);
    for (unsigned k = 0; k < fours; ++k) {
        v[k] = add_to_four(v[k], of_block.x);
    }
    return of_block.y;
}
//! [scan_tile]

} // namespace common
