// A step that begins before the one that it needs has ended.
#pragma once

#include "steps.cuh"

//! [programmatic]
// Both are for a launch that may begin before the one before it has ended, and do nothing in
// others.
__device__ void let_the_next_begin()
{
#if __CUDA_ARCH__ >= 900
    cudaTriggerProgrammaticLaunchCompletion(); // once all blocks have said so
#endif
}
__device__ void wait_for_the_last()
{
#if __CUDA_ARCH__ >= 900
    cudaGridDependencySynchronize(); // until it has ended, and all of it is in memory
#endif
}

// Loads what does not depend on the step before while it waits for that.
__global__ void early_step(const unsigned* a, const unsigned* before, unsigned* c, std::size_t m,
                           std::size_t count)
{
    let_the_next_begin();
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const unsigned x = i < count ? a[i] : 0;
    wait_for_the_last();
    if (i < count) {
        c[i] = made(x, before, i, m);
    }
}
//! [programmatic]
