// A matrix stored column by column: each thread sums the rows of 16 bytes of a column.
#pragma once

#include "common/chapter.hpp"
#include "rows.cuh"

//! [columns]
constexpr unsigned column_lanes = 16; // adjacent lanes, which read 256 bytes of a column
constexpr unsigned blocks_per_sm = 4; // resident; with more, the loads lack registers

// c = a x. A column has `column_vectors` 16-byte vectors, and a block computes the rows of
// `column_lanes` of them: its 256 threads are 16 groups of lanes. Each group reads every 16th
// column; their sums are added in shared memory. If gridDim.y is more than 1, the columns are split
// over that many blocks, `piece_length` columns each; then c must be 0 at first. Launch: the grid's
// x covers the rows.
template<class T, unsigned loads>
__global__ void __launch_bounds__(threads, common::bound_blocks(blocks_per_sm, threads))
    columns(const uint4* a, const T* x, float* c, std::size_t rows, std::size_t column_count,
            std::size_t column_vectors, std::size_t piece_length)
{
    constexpr unsigned step = threads / column_lanes;
    constexpr unsigned block_rows = column_lanes * Sums<T>::count;
    __shared__ float partials[step][block_rows];
    const unsigned lane = threadIdx.x % column_lanes;
    const std::size_t i = std::size_t{blockIdx.x} * column_lanes + lane;
    const std::size_t end =
        i < column_vectors ? min(column_count, (blockIdx.y + 1) * piece_length) : 0;
    Sums<T> sums;
    std::size_t k = blockIdx.y * piece_length + threadIdx.x / column_lanes;
#pragma unroll 1
    for (; k + (loads - 1) * step < end; k += loads * step) {
        uint4 v[loads];
        for (unsigned j = 0; j < loads; ++j) {
            v[j] = a[(k + j * step) * column_vectors + i];
        }
        for (unsigned j = 0; j < loads; ++j) {
            sums.add(v[j], x[k + j * step]);
        }
    }
#pragma unroll 1
    for (; k < end; k += step) {
        sums.add(a[k * column_vectors + i], x[k]);
    }
    for (unsigned j = 0; j < sums.count; ++j) {
        partials[threadIdx.x / column_lanes][lane * sums.count + j] = sums.sum[j];
    }
    __syncthreads();
    const std::size_t r = std::size_t{blockIdx.x} * block_rows + threadIdx.x;
    if (threadIdx.x < block_rows && r < rows) {
        float sum = 0;
        for (unsigned j = 0; j < step; ++j) {
            sum += partials[j][threadIdx.x];
        }
        store_or_atomic_add(c + r, sum, gridDim.y == 1);
    }
}
//! [columns]
