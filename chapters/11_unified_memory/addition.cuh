// The kernels of chapter 11, and how they are launched: the sum of two matrices.
#pragma once

#include "moves.cuh"

#include <cmath>

//! [add]
// A matrix of n elements in rows of `columns`; the last row may be shorter.
__device__ void add_element(const float* a, const float* b, float* c, std::size_t columns,
                            std::size_t n)
{
    const std::size_t column = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::size_t row = std::size_t{blockIdx.y} * blockDim.y + threadIdx.y;
    const std::size_t i = row * columns + column;
    if (column < columns && i < n) {
        c[i] = a[i] + b[i];
    }
}

__global__ void add(const float* a, const float* b, float* c, std::size_t columns, std::size_t n)
{
    add_element(a, b, c, columns, n);
}
//! [add]

//! [static]
// One variable for both sides: the host assigns it, kernels read it, and no call copies it.
__managed__ std::size_t managed_columns;

__global__ void add_static(const float* a, const float* b, float* c, std::size_t n)
{
    add_element(a, b, c, managed_columns, n);
}
//! [static]

//! [launch]
// As square as it gets.
std::size_t columns_of(std::size_t n)
{
    return static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(n))));
}

const dim3 block(32, 8);

dim3 grid_of(std::size_t n)
{
    const std::size_t columns = columns_of(n);
    return {common::blocks(columns, block.x), common::blocks((n + columns - 1) / columns, block.y)};
}

void launch_add(const Problem& p, cudaStream_t stream)
{
    add<<<grid_of(p.n), block, 0, stream>>>(p.a, p.b, p.c, columns_of(p.n), p.n);
}

void launch_add_static(const Problem& p, cudaStream_t stream)
{
    CHECK_CUDA(cudaStreamSynchronize(stream)); // a kernel might be reading it
    managed_columns = columns_of(p.n);
    add_static<<<grid_of(p.n), block, 0, stream>>>(p.a, p.b, p.c, p.n);
}
//! [launch]
