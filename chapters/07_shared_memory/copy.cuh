// A copy: directly, and by way of shared memory, which it does not need.
#pragma once

#include "common/chapter.hpp"

//! [copy]
__global__ void copy_direct(const float* a, float* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i];
    }
}

constexpr unsigned threads = 256;

// No barrier: every thread reads back the slot that it wrote itself. (The compiler knows that too:
// it keeps the value in a register and never reads the tile.)
__global__ void copy_staged(const float* a, float* c, std::size_t n)
{
    __shared__ float tile[threads];
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        tile[threadIdx.x] = a[i];
        c[i] = tile[threadIdx.x];
    }
}
//! [copy]
