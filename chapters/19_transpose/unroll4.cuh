// Four elements per thread, whose loads are in flight at once.
#pragma once

#include "place.cuh"

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
