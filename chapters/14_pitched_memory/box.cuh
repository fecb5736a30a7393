// A copy of a box: slices of rows with a pitch.
#pragma once

#include "common/chapter.hpp"

//! [box]
// In a box, row y of slice z is row z * rows + y of all.
__global__ void copy_box(const float* a, float* c, std::size_t columns, std::size_t rows,
                         std::size_t slices, std::size_t pitch)
{
    const std::size_t stride = pitch / sizeof(float);
    const std::size_t x = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::size_t y = std::size_t{blockIdx.y} * blockDim.y + threadIdx.y;
    if (x < columns && y < rows) {
        for (std::size_t z = blockIdx.z; z < slices; z += gridDim.z) {
            c[(z * rows + y) * stride + x] = a[(z * rows + y) * stride + x];
        }
    }
}
//! [box]
