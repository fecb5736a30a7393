// One step per launch, and all steps in one launch where no step needs another.
#pragma once

#include "common/chapter.hpp"

//! [step]
// Returns word i of a step: x, plus word i + 1 of the previous step's result, or word 0 after the
// last; or x alone where `previous` is null. __ldcg loads from L2, since L1 may have an older word.
__device__ unsigned add_previous(unsigned x, const unsigned* previous, std::size_t i,
                                 std::size_t step_words)
{
    return previous == nullptr ? x : x + __ldcg(&previous[i + 1 == step_words ? 0 : i + 1]);
}

// Computes one step, of `count` words. All steps but the last have step_words words. Launch:
// `count` threads.
__global__ void step(const unsigned* a, const unsigned* previous, unsigned* c,
                     std::size_t step_words, std::size_t count)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < count) {
        c[i] = add_previous(a[i], previous, i, step_words);
    }
}
//! [step]

//! [together]
// All steps in one launch, where no step needs another: blockIdx.y is the step. n words in all.
__global__ void together(const unsigned* a, unsigned* c, std::size_t step_words, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (const std::size_t at = blockIdx.y * step_words + i; i < step_words && at < n) {
        c[at] = add_previous(a[at], nullptr, i, step_words);
    }
}
//! [together]
