// One step, and all steps at once where none needs another.
#pragma once

#include "common/chapter.hpp"

//! [step]
// Word i of a piece of m words, and, where there is a piece before, what was made of its word i
// + 1. From the L2: a multiprocessor may still have older words in its L1.
__device__ unsigned made(unsigned x, const unsigned* before, std::size_t i, std::size_t m)
{
    return before == nullptr ? x : x + __ldcg(&before[i + 1 == m ? 0 : i + 1]);
}

__global__ void step(const unsigned* a, const unsigned* before, unsigned* c, std::size_t m,
                     std::size_t count)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < count) {
        c[i] = made(a[i], before, i, m);
    }
}
//! [step]

//! [together]
// All steps at once, where none needs another: a row of blocks for each.
__global__ void together(const unsigned* a, unsigned* c, std::size_t m, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (const std::size_t at = blockIdx.y * m + i; i < m && at < n) {
        c[at] = made(a[at], nullptr, i, m);
    }
}
//! [together]
