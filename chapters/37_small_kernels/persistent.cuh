// All steps in one kernel, whose grid waits for itself.
#pragma once

#include "steps.cuh"

#include <cooperative_groups.h>

//! [persistent]
// All steps, one after another, by a persistent grid that waits for itself between two.
__global__ void persistent(const unsigned* a, unsigned* c, std::size_t m, std::size_t n)
{
    const std::size_t first = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    for (std::size_t piece = 0; piece < n; piece += m) {
        const unsigned* before = piece == 0 ? nullptr : c + (piece - m);
        for (std::size_t i = first; i < m && piece + i < n;
             i += std::size_t{gridDim.x} * blockDim.x) {
            c[piece + i] = made(a[piece + i], before, i, m);
        }
        if (piece + m < n) {
            cooperative_groups::this_grid().sync();
        }
    }
}
//! [persistent]
