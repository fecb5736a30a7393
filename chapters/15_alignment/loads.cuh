// The same sum with other loads: past the L1 cache, or through it as data that nobody writes.
#pragma once

#include "common/chapter.hpp"

//! [bypassed]
// Loads that go past the L1 cache to the L2: of a sector that two warps need, nothing is kept here.
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
// Two ways to say that nobody writes a and b while this kernel runs: in each load, or once.
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
