// Kernels that add a word of a table: in constant memory, in global memory, through a pointer.
#pragma once

#include "variables.cuh"

//! [tables]
// With a mask of 0 all lanes of a warp want one word of the table, with 31 each needs its own.
__global__ void add_constant(const float* a, float* c, std::size_t n, unsigned mask)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i] + constant_table[i & mask];
    }
}

__global__ void add_global(const float* a, float* c, std::size_t n, unsigned mask)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i] + global_table[i & mask];
    }
}

__global__ void add_through_pointer(const float* a, float* c, std::size_t n, unsigned mask)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i] + table[i & mask];
    }
}
//! [tables]
