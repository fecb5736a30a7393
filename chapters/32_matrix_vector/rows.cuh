// A matrix stored row by row: one thread, one warp or one block per row.
#pragma once

#include "products.cuh"
#include "sum_lanes.cuh"

constexpr unsigned threads = 256; // per block

//! [dot]
// Returns the dot product of a row and x over every `step`th 16-byte vector from vector i on, with
// `loads` loads of the row in flight. The row is read once, hence __ldcs().
template<class T, unsigned loads, class Index>
__device__ float dot(const uint4* a, const uint4* x, Index i, unsigned step, Index end)
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
// c = a x. A row has `width` 16-byte vectors and `lanes` threads: 1, 32 or 256. If gridDim.y is
// more than 1, each row is split over that many groups of threads, `piece_length` vectors each;
// then c must be 0 at first. Launch: `lanes` threads per row along the grid's x.
template<class T, unsigned lanes, unsigned loads>
__global__ void __launch_bounds__(lanes < threads ? threads : lanes)
    lanes_per_row(const uint4* a, const T* x, float* c, std::size_t rows, std::size_t,
                  std::size_t width, std::size_t piece_length)
{
    const std::size_t r = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) / lanes;
    const std::size_t lane = threadIdx.x % lanes;
    const std::size_t first = blockIdx.y * piece_length;
    const std::size_t count = r < rows && first < width ? min(piece_length, width - first) : 0;
    const float sum = sum_lanes<lanes>(dot<T, loads>(
        a + r * width + first, reinterpret_cast<const uint4*>(x) + first, lane, lanes, count));
    if (r < rows && lane == 0) {
        store_or_atomic_add(c + r, sum, gridDim.y == 1);
    }
}
//! [lanes_per_row]

//! [unsplit_rows]
// lanes_per_row with one block per row, which shares its row with no other block, and with 32-bit
// indices in the loop. Launch: one block of 256 threads per row.
template<class T, unsigned loads>
__global__ void __launch_bounds__(threads)
    unsplit_rows(const uint4* a, const T* x, float* c, std::size_t, std::size_t, std::size_t width,
                 std::size_t)
{
    const float sum =
        sum_lanes<threads>(dot<T, loads>(a + blockIdx.x * width, reinterpret_cast<const uint4*>(x),
                                         threadIdx.x, threads, static_cast<unsigned>(width)));
    if (threadIdx.x == 0) {
        c[blockIdx.x] = sum;
    }
}
//! [unsplit_rows]
