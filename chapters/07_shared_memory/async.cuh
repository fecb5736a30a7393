// The same copy by loads that go straight to shared memory, past the registers.
#pragma once

#include "copy.cuh"

#include <cuda_pipeline.h>

//! [async]
// The load goes past the registers, straight to shared memory, one step ahead of the store.
__global__ void copy_async(const float* a, float* c, std::size_t n)
{
    __shared__ float tile[2][threads];
    const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
    std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    unsigned stage = 0;
    if (i < n) {
        __pipeline_memcpy_async(&tile[stage][threadIdx.x], &a[i], sizeof(float));
    }
    __pipeline_commit();
    for (; i < n; i += step, stage ^= 1) {
        if (i + step < n) {
            __pipeline_memcpy_async(&tile[stage ^ 1][threadIdx.x], &a[i + step], sizeof(float));
        }
        __pipeline_commit();
        __pipeline_wait_prior(1); // all but the newest group have arrived: this step's has
        c[i] = tile[stage][threadIdx.x];
    }
}
//! [async]
