// Asynchronous copies into shared memory.
#pragma once

#include "add4.cuh"

#include <cuda_pipeline.h>

//! [async]
// The same by cp.async: what a thread fetches comes into its own slots of shared memory, in
// `stages` groups, and takes no register in flight.
template<unsigned stages>
__global__ void async(const float4* a, const float4* b, float4* c, std::size_t n, unsigned)
{
    extern __shared__ __align__(128) float4 places[]; // of a stage: one of a and one of b a thread
    const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
    std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const auto fetch = [&](std::size_t from, unsigned stage) {
        float4* place = &places[2 * stage * blockDim.x + threadIdx.x];
        if (from < n / 4) {
            __pipeline_memcpy_async(place, &a[from], sizeof(float4));
            __pipeline_memcpy_async(place + blockDim.x, &b[from], sizeof(float4));
        }
        __pipeline_commit(); // a group, even if nothing is in it: groups are counted
    };
    for (unsigned stage = 0; stage < stages; ++stage) {
        fetch(i + stage * step, stage);
    }
    for (unsigned stage = 0; i < n / 4; i += step, stage = (stage + 1) % stages) {
        __pipeline_wait_prior(stages - 1);
        const float4* place = &places[2 * stage * blockDim.x + threadIdx.x];
        const float4 sum = add4(place[0], place[blockDim.x]);
        fetch(i + stages * step, stage);
        __stcs(&c[i], sum);
    }
    add_last(a, b, c, n);
}
//! [async]
