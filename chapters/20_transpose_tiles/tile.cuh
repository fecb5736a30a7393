// A tile that a block transposes in shared memory, by words of 4 bytes.
#pragma once

#include "common/chapter.hpp"

//! [tile]
constexpr unsigned tile_dim = 32; // blocks of 32 x 8 threads: four elements per thread

// Layout of a tile in shared memory. A bank holds every 32nd word, so a column of the plain tile
// is in one bank. Padded, each row starts one bank further; swizzled, each row is permuted.
enum class Layout
{
    plain,
    padded,
    swizzled
};

// Returns the word of the tile that holds element (y, x).
template<Layout layout>
__device__ unsigned slot(unsigned y, unsigned x)
{
    if constexpr (layout == Layout::padded) {
        return y * (tile_dim + 1) + x;
    } else if constexpr (layout == Layout::swizzled) {
        return y * tile_dim + (x ^ y);
    } else {
        return y * tile_dim + x;
    }
}

// Blocks start in the order of blockIdx.x: along a row of a or, with `down`, down a column of a,
// that is, along a row of c.
template<Layout layout, bool down>
__global__ void tile(const float* a, float* c, std::size_t rows, std::size_t columns)
{
    __shared__ float turned[tile_dim * (tile_dim + (layout == Layout::padded ? 1 : 0))];
    const std::size_t left = std::size_t{down ? blockIdx.y : blockIdx.x} * tile_dim;
    const std::size_t top = std::size_t{down ? blockIdx.x : blockIdx.y} * tile_dim;
    float v[4];
    for (unsigned k = 0; k < 4; ++k) {
        const unsigned y = threadIdx.y + 8 * k;
        const bool inside = left + threadIdx.x < columns && top + y < rows;
        v[k] = inside ? a[(top + y) * columns + left + threadIdx.x] : 0.0f;
    }
    for (unsigned k = 0; k < 4; ++k) {
        turned[slot<layout>(threadIdx.y + 8 * k, threadIdx.x)] = v[k];
    }
    __syncthreads(); // a thread stores elements that others have loaded
    for (unsigned k = 0; k < 4; ++k) {
        const unsigned x = threadIdx.y + 8 * k;
        if (left + x < columns && top + threadIdx.x < rows) {
            c[(left + x) * rows + top + threadIdx.x] = turned[slot<layout>(threadIdx.x, x)];
        }
    }
}
//! [tile]
