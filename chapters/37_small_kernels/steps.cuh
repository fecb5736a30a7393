// One step, and all steps at once where none needs another.
#pragma once

#include "common/chapter.hpp"

//! [step]
// Returns word i of a piece of m words: x, plus what the step before made of its word i + 1, if
// there is one. __ldcg loads that from the L2, since the L1 may still have older words.
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
