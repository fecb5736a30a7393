// Copies of a matrix: as an array, and row by row with a pitch.
#pragma once

#include "common/chapter.hpp"

//! [linear]
// The matrix is only an array of n elements: nothing here knows where a row begins.
__global__ void copy_linear(const float* a, float* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i];
    }
}
//! [linear]

//! [matrix]
// A warp copies 32 columns of a row. A grid has at most 65535 blocks in y, so threads loop over y.
__global__ void copy_matrix(const float* a, float* c, std::size_t columns, std::size_t rows,
                            std::size_t pitch)
{
    const std::size_t stride = pitch / sizeof(float); // a pitch is in bytes
    const std::size_t x = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::size_t first = std::size_t{blockIdx.y} * blockDim.y + threadIdx.y;
    if (x < columns) {
        for (std::size_t y = first; y < rows; y += std::size_t{gridDim.y} * blockDim.y) {
            c[y * stride + x] = a[y * stride + x];
        }
    }
}
//! [matrix]

//! [copy_rows]
// With a pitch, rows begin at multiples of 16 bytes: all but the last few columns are copied as
// vectors. A block copies blockDim.y rows.
__global__ void copy_rows(const float* a, float* c, std::size_t columns, std::size_t rows,
                          std::size_t pitch)
{
    const std::size_t y = std::size_t{blockIdx.x} * blockDim.y + threadIdx.y;
    if (y >= rows) {
        return;
    }
    const float* from = a + y * (pitch / sizeof(float));
    float* to = c + y * (pitch / sizeof(float));
    for (std::size_t k = threadIdx.x; k < columns / 4; k += blockDim.x) {
        reinterpret_cast<float4*>(to)[k] = reinterpret_cast<const float4*>(from)[k];
    }
    for (std::size_t x = columns / 4 * 4 + threadIdx.x; x < columns; x += blockDim.x) {
        to[x] = from[x];
    }
}
//! [copy_rows]
