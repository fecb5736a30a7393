// Columns of a matrix that is stored column by column: a thread has the rows of 16 bytes of one.
#pragma once

#include "common/chapter.hpp"
#include "rows.cuh"

//! [columns]
constexpr unsigned across = 16;  // lanes next to each other: they read 256 bytes of a column
constexpr unsigned resident = 4; // blocks of an SM: with more the loads lack registers

// A column has `height` times 16 bytes. A block has `across` of them; its threads, and those of
// gridDim.y such blocks, share the columns out.
template<class T, unsigned loads>
__global__ void __launch_bounds__(threads, common::bound_blocks(resident, threads))
    columns(const uint4* a, const T* x, float* c, std::size_t rows, std::size_t count,
            std::size_t height, std::size_t piece)
{
    constexpr unsigned step = threads / across;
    constexpr unsigned width = across * Sums<T>::count; // rows of a block
    __shared__ float parts[step][width];
    const unsigned lane = threadIdx.x % across;
    const std::size_t i = std::size_t{blockIdx.x} * across + lane;
    const std::size_t end = i < height ? min(count, (blockIdx.y + 1) * piece) : 0;
    Sums<T> sums;
    std::size_t k = blockIdx.y * piece + threadIdx.x / across;
#pragma unroll 1
    for (; k + (loads - 1) * step < end; k += loads * step) {
        uint4 v[loads];
        for (unsigned j = 0; j < loads; ++j) {
            v[j] = a[(k + j * step) * height + i];
        }
        for (unsigned j = 0; j < loads; ++j) {
            sums.add(v[j], x[k + j * step]);
        }
    }
#pragma unroll 1
    for (; k < end; k += step) {
        sums.add(a[k * height + i], x[k]);
    }
    for (unsigned j = 0; j < sums.count; ++j) {
        parts[threadIdx.x / across][lane * sums.count + j] = sums.of[j];
    }
    __syncthreads();
    const std::size_t r = std::size_t{blockIdx.x} * width + threadIdx.x;
    if (threadIdx.x < width && r < rows) {
        float sum = 0;
        for (unsigned j = 0; j < step; ++j) {
            sum += parts[j][threadIdx.x];
        }
        store_or_atomic_add(c + r, sum, gridDim.y == 1);
    }
}
//! [columns]
