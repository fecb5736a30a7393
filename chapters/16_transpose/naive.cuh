// The first lesson of chapter 16: transpositions without a tile. Whatever order the threads and the
// blocks have, one side is scattered.
#pragma once

#include "common/chapter.hpp"

//! [place]
// Element (y, x) of a, for each thread of a block. `down` says which way the lanes of a warp lie
// side by side: along a row of a, or down a column, and so along a row of c.
struct Place
{
    std::size_t x;
    std::size_t y;
};

template<bool down>
__device__ Place place(uint2 block)
{
    const std::size_t along = std::size_t{block.x} * blockDim.x + threadIdx.x;
    const std::size_t across = std::size_t{block.y} * blockDim.y + threadIdx.y;
    return down ? Place{across, along} : Place{along, across};
}
//! [place]

//! [naive]
// Transposes nothing: a bound for what follows.
template<bool down>
__global__ void copy(const float* a, float* c, std::size_t rows, std::size_t columns)
{
    const auto [x, y] = place<down>(make_uint2(blockIdx.x, blockIdx.y));
    if (x < columns && y < rows) {
        c[y * columns + x] = a[y * columns + x];
    }
}

template<bool down>
__global__ void naive(const float* a, float* c, std::size_t rows, std::size_t columns)
{
    const auto [x, y] = place<down>(make_uint2(blockIdx.x, blockIdx.y));
    if (x < columns && y < rows) {
        c[x * rows + y] = a[y * columns + x];
    }
}
//! [naive]

//! [unroll4]
// A block does the work of four neighbours, so the grid has a quarter of the blocks.
template<bool down>
__global__ void unroll4(const float* a, float* c, std::size_t rows, std::size_t columns)
{
    float v[4];
    for (unsigned k = 0; k < 4; ++k) {
        const auto [x, y] = place<down>(make_uint2(4 * blockIdx.x + k, blockIdx.y));
        v[k] = x < columns && y < rows ? a[y * columns + x] : 0.0f;
    }
    for (unsigned k = 0; k < 4; ++k) {
        const auto [x, y] = place<down>(make_uint2(4 * blockIdx.x + k, blockIdx.y));
        if (x < columns && y < rows) {
            c[x * rows + y] = v[k];
        }
    }
}
//! [unroll4]

//! [diagonal]
// Blocks that start one after the other lie on a diagonal of the grid: neither their rows nor their
// columns are the same. Every block has a place of its own, in a grid of any shape.
template<bool down>
__global__ void diagonal(const float* a, float* c, std::size_t rows, std::size_t columns)
{
    const std::size_t number = std::size_t{blockIdx.y} * gridDim.x + blockIdx.x;
    const auto across = static_cast<unsigned>(number % gridDim.y);
    const auto along = static_cast<unsigned>((number / gridDim.y + across) % gridDim.x);
    const auto [x, y] = place<down>(make_uint2(along, across));
    if (x < columns && y < rows) {
        c[x * rows + y] = a[y * columns + x];
    }
}
//! [diagonal]
