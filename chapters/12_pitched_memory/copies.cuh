// The copies of chapter 12: of an array, of a matrix with a pitch, and of a box.
#pragma once

#include "common/chapter.hpp"

#include <algorithm>

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
// A warp works in one row: its lanes are columns. A grid ends at 65535 blocks in y; rows need not.
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

//! [grid]
constexpr unsigned threads = 256;
const dim3 block(32, threads / 32);

// Blocks that cover a slice, and as many slices as a grid has room for.
dim3 grid(std::size_t columns, std::size_t rows, std::size_t slices = 1)
{
    const std::size_t y = std::min((rows + block.y - 1) / block.y, common::max_blocks_y);
    return dim3(common::blocks(columns, block.x), static_cast<unsigned>(y),
                static_cast<unsigned>(std::min(slices, common::max_blocks_y)));
}
//! [grid]
