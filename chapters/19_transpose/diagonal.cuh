// One element per thread, with the blocks in diagonal order.
#pragma once

#include "place.cuh"

//! [diagonal]
// Blocks that start one after another lie on a diagonal of the grid, so that they share neither
// rows nor columns. The mapping is one-to-one in a grid of any shape.
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
