// Rows of a matrix that is stored row by row: each has one thread, a warp or a block.
#pragma once

#include "products.cuh"
#include "sum_lanes.cuh"

constexpr unsigned threads = 256; // of a block, or as many as a row has

//! [dot]
// The products of every `step`th 16 bytes from i on. The row is read once, hence __ldcs().
template<class T, unsigned loads>
__device__ float dot(const uint4* a, const uint4* x, std::size_t i, unsigned step, std::size_t end)
{
    float sum = 0;
#pragma unroll 1
    for (; i + (loads - 1) * step < end; i += loads * step) {
        uint4 v[loads], w[loads];
        for (unsigned k = 0; k < loads; ++k) {
            v[k] = __ldcs(a + i + k * step);
        }
        for (unsigned k = 0; k < loads; ++k) {
            w[k] = __ldg(x + i + k * step);
        }
        for (unsigned k = 0; k < loads; ++k) {
            sum = add_products<T>(v[k], w[k], sum);
        }
    }
#pragma unroll 1
    for (; i < end; i += step) {
        sum = add_products<T>(__ldcs(a + i), __ldg(x + i), sum);
    }
    return sum;
}
//! [dot]

//! [lanes_per_row]
// A row has `width` times 16 bytes and `lanes` threads: 1, a warp or a block. Where gridDim.y is
// more than 1, as many of them share it, `piece` times 16 bytes each.
template<class T, unsigned lanes, unsigned loads>
__global__ void __launch_bounds__(lanes < threads ? threads : lanes)
    lanes_per_row(const uint4* a, const T* x, float* c, std::size_t rows, std::size_t,
                  std::size_t width, std::size_t piece)
{
    const std::size_t r = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) / lanes;
    const unsigned lane = threadIdx.x % lanes;
    const std::size_t first = blockIdx.y * piece;
    const std::size_t count = r < rows && first < width ? min(piece, width - first) : 0;
    const float sum = sum_lanes<lanes>(dot<T, loads>(
        a + r * width + first, reinterpret_cast<const uint4*>(x) + first, lane, lanes, count));
    if (r < rows && lane == 0) {
        store_or_atomic_add(c + r, sum, gridDim.y == 1);
    }
}
//! [lanes_per_row]
