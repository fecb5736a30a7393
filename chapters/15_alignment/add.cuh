// Sums of arrays that are read, or written, `offset` elements past a boundary.
#pragma once

#include "common/chapter.hpp"

//! [read]
// The inputs have n elements, so c has n - offset: it is the index that is read that needs a check.
__global__ void add_read(const float* a, const float* b, float* c, std::size_t n,
                         std::size_t offset)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i + offset < n) {
        c[i] = a[i + offset] + b[i + offset];
    }
}
//! [read]

//! [write]
__global__ void add_write(const float* a, const float* b, float* c, std::size_t n,
                          std::size_t offset)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i + offset < n) {
        c[i + offset] = a[i] + b[i];
    }
}
//! [write]
