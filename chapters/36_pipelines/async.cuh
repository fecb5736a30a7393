// Prefetching by asynchronous copies (cp.async) into shared memory.
#pragma once

#include "add4.cuh"

#include <cuda_pipeline.h>

//! [async]
// A grid-stride loop in which each thread copies the float4s of its next `stages` iterations to its
// own slots of shared memory: loads in flight take no registers. Launch: persistent blocks, with
// 2 * stages float4s of dynamic shared memory per thread. Only ring() uses the last parameter.
template<unsigned stages>
__global__ void async(const float4* a, const float4* b, float4* c, std::size_t n, unsigned)
{
    extern __shared__ __align__(128) float4 slots[]; // per stage and thread: one of a, one of b
    const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
    std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const auto fetch = [&](std::size_t from, unsigned stage) {
        float4* slot = &slots[2 * stage * blockDim.x + threadIdx.x];
        if (from < n / 4) {
            __pipeline_memcpy_async(slot, &a[from], sizeof(float4));
            __pipeline_memcpy_async(slot + blockDim.x, &b[from], sizeof(float4));
        }
        __pipeline_commit(); // an empty group, too: __pipeline_wait_prior() counts groups
    };
    for (unsigned stage = 0; stage < stages; ++stage) {
        fetch(i + stage * step, stage);
    }
    for (unsigned stage = 0; i < n / 4; i += step, stage = (stage + 1) % stages) {
        __pipeline_wait_prior(stages - 1);
        const float4* slot = &slots[2 * stage * blockDim.x + threadIdx.x];
        const float4 sum = add4(slot[0], slot[blockDim.x]);
        fetch(i + stages * step, stage);
        __stcs(&c[i], sum);
    }
    add_last(a, b, c, n);
}
//! [async]
