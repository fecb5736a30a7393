// All steps in one kernel, with a grid barrier between steps.
#pragma once

#include "steps.cuh"

#include <cooperative_groups.h>

//! [persistent]
// Computes all steps of n words one after another. Launch: cooperative, at most as many blocks as
// are resident.
__global__ void persistent(const unsigned* a, unsigned* c, std::size_t step_words, std::size_t n)
{
    const std::size_t first = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    for (std::size_t offset = 0; offset < n; offset += step_words) {
        const unsigned* previous = offset == 0 ? nullptr : c + (offset - step_words);
        for (std::size_t i = first; i < step_words && offset + i < n;
             i += std::size_t{gridDim.x} * blockDim.x) {
            c[offset + i] = add_previous(a[offset + i], previous, i, step_words);
        }
        if (offset + step_words < n) {
            cooperative_groups::this_grid().sync();
        }
    }
}
//! [persistent]
