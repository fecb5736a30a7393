// One element per thread: a transposition, and a copy to compare it with.
#pragma once

#include "place.cuh"

//! [naive]
// Copies without transposing: a bound for the kernels below.
template<bool down>
__global__ void copy(const float* a, float* c, std::size_t rows, std::size_t columns)
{
    const auto [x, y] = place<down>(make_uint2(blockIdx.x, blockIdx.y));
    if (x < columns && y < rows) {
        c[y * columns + x] = a[y * columns + x];
    }
}

template<bool down>
__global__ void naive(const float* a, float* c, std::size_t rows, std::size_t columns)
{
    const auto [x, y] = place<down>(make_uint2(blockIdx.x, blockIdx.y));
    if (x < columns && y < rows) {
        c[x * rows + y] = a[y * columns + x];
    }
}
//! [naive]
