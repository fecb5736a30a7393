// The same sum with other loads: through L2 alone, or as read-only data through L1.
#pragma once

#include "common/chapter.hpp"

//! [bypassed]
// Loads that bypass L1: a sector that two warps need is requested from L2 twice.
__global__ void add_read_cg(const float* a, const float* b, float* c, std::size_t n,
                            std::size_t offset)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i + offset < n) {
        c[i] = __ldcg(&a[i + offset]) + __ldcg(&b[i + offset]);
    }
}
//! [bypassed]

//! [read_only]
// Two ways to promise that a and b are not written while the kernel runs: per load, or once.
__global__ void add_read_ldg(const float* a, const float* b, float* c, std::size_t n,
                             std::size_t offset)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i + offset < n) {
        c[i] = __ldg(&a[i + offset]) + __ldg(&b[i + offset]);
    }
}

__global__ void add_read_restrict(const float* __restrict__ a, const float* __restrict__ b,
                                  float* __restrict__ c, std::size_t n, std::size_t offset)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i + offset < n) {
        c[i] = a[i + offset] + b[i + offset];
    }
}
//! [read_only]
