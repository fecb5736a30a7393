// Blocks whose warps work in one row each, and the grid of them.
#pragma once

#include "common/chapter.hpp"

#include <algorithm>

//! [grid]
constexpr unsigned threads = 256;
const dim3 block(32, threads / 32);

// Returns a grid whose blocks cover a slice, and as many slices as a grid can have.
dim3 grid(std::size_t columns, std::size_t rows, std::size_t slices = 1)
{
    const std::size_t y = std::min((rows + block.y - 1) / block.y, common::max_blocks_y);
    return dim3(common::blocks(columns, block.x), static_cast<unsigned>(y),
                static_cast<unsigned>(std::min(slices, common::max_blocks_y)));
}
//! [grid]

//! [row_block]
// Returns a block whose threads in x cover a matrix row with 16 bytes each, if 256 are enough.
dim3 row_block(std::size_t columns)
{
    unsigned x = 1;
    while (x < threads && x < columns / 4) {
        x *= 2;
    }
    return dim3(x, threads / x);
}
//! [row_block]
