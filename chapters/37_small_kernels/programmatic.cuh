// A step that begins before the previous step has ended (programmatic dependent launch).
#pragma once

#include "steps.cuh"

//! [programmatic]
// Both functions are for kernels that are launched with programmatic stream serialization, and do
// nothing in others. The first allows the next kernel of the stream to begin.
__device__ void trigger_next_launch()
{
#if __CUDA_ARCH__ >= 900
    cudaTriggerProgrammaticLaunchCompletion(); // once all blocks have called it
#endif
}
// Waits for the kernel before this one.
__device__ void wait_for_previous()
{
#if __CUDA_ARCH__ >= 900
    cudaGridDependencySynchronize(); // until it has ended and its stores are visible
#endif
}

// Computes one step, and loads its own words before it waits for the previous step. Launch: as
// step, with programmatic stream serialization.
__global__ void early_step(const unsigned* a, const unsigned* previous, unsigned* c,
                           std::size_t step_words, std::size_t count)
{
    trigger_next_launch();
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const unsigned x = i < count ? a[i] : 0;
    wait_for_previous();
    if (i < count) {
        c[i] = add_previous(x, previous, i, step_words);
    }
}
//! [programmatic]
