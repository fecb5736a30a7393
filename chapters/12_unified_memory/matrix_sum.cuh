// The job of chapters 12 and 13: a sum of matrices, and the host's part of it.
#pragma once

#include "common/chapter.hpp"

#include <algorithm>
#include <cmath>

using Problem = common::HostVectorAdd;
using Queue = void (*)(const Problem&, cudaStream_t);

//! [host]
// The host's part. In managed memory p.host_a and p.a are the same array.
void initialise(const Problem& p, const Problem& source)
{
    std::copy_n(source.host_a, p.n, p.host_a);
    std::copy_n(source.host_b, p.n, p.host_b);
}

void add_on_host(const Problem& p)
{
    for (std::size_t i = 0; i < p.n; ++i) {
        p.host_c[i] = p.host_a[i] + p.host_b[i];
    }
}

std::ptrdiff_t count_zeros(const Problem& p)
{
    return std::count(p.host_c, p.host_c + p.n, 0.0f);
}
//! [host]

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

//! [launch]
// Columns of a nearly square matrix of n elements.
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
//! [launch]
