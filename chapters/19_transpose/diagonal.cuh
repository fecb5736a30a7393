// One element per thread, with the blocks in another order.
#pragma once

#include "place.cuh"

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
