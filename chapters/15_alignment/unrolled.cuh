// Four sums a thread, with and without the promise that the arrays do not overlap.
#pragma once

#include "common/chapter.hpp"

//! [unrolled]
// Four elements per thread, a block apart.
__global__ void add_unrolled(const float* a, const float* b, float* c, std::size_t n,
                             std::size_t offset)
{
    const std::size_t first = std::size_t{blockIdx.x} * blockDim.x * 4 + threadIdx.x;
    for (unsigned k = 0; k < 4; ++k) {
        const std::size_t i = first + std::size_t{k} * blockDim.x;
        if (i + offset < n) {
            c[i] = a[i + offset] + b[i + offset];
        }
    }
}

// The same, with the promise that c overlaps neither a nor b: loads may pass stores.
__global__ void add_unrolled_restrict(const float* __restrict__ a, const float* __restrict__ b,
                                      float* __restrict__ c, std::size_t n, std::size_t offset)
{
    const std::size_t first = std::size_t{blockIdx.x} * blockDim.x * 4 + threadIdx.x;
    for (unsigned k = 0; k < 4; ++k) {
        const std::size_t i = first + std::size_t{k} * blockDim.x;
        if (i + offset < n) {
            c[i] = a[i + offset] + b[i + offset];
        }
    }
}
//! [unrolled]
