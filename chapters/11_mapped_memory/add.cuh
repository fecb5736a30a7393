// The kernel of chapter 01, launched once or several times.
#pragma once

#include "common/chapter.hpp"

//! [basic]
__global__ void add(const float* a, const float* b, float* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i] + b[i];
    }
}
//! [basic]

constexpr unsigned threads = 256;

//! [passes]
// The same sum `passes` times: data that is copied once serves them all.
void launch_add(const float* a, const float* b, float* c, std::size_t n, unsigned passes,
                cudaStream_t stream)
{
    for (unsigned pass = 0; pass < passes; ++pass) {
        add<<<common::blocks(n, threads), threads, 0, stream>>>(a, b, c, n);
    }
}
//! [passes]
