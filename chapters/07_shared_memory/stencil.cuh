// A stencil, each of whose elements 17 threads need: from global memory, and from shared memory.
#pragma once

#include "copy.cuh"

//! [stencil]
constexpr int radius = 8;

// c[i] = a[i - radius] + ... + a[i + radius]; what lies outside the array counts as zero.
__global__ void stencil_direct(const float* a, float* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        float sum = 0.0f;
        for (int k = -radius; k <= radius; ++k) {
            const std::size_t j = i + static_cast<std::size_t>(k); // wraps below 0, so j >= n there
            sum += j < n ? a[j] : 0.0f;
        }
        c[i] = sum;
    }
}

// Each element is loaded once by its block, then read 17 times from shared memory. The block needs
// 2 * radius elements more than it has threads: the first threads load a second one.
__global__ void stencil_shared(const float* a, float* c, std::size_t n)
{
    __shared__ float tile[threads + 2 * radius];
    const std::size_t start = std::size_t{blockIdx.x} * blockDim.x;
    const std::size_t j = start + threadIdx.x - radius;
    tile[threadIdx.x] = j < n ? a[j] : 0.0f;
    if (threadIdx.x < 2 * radius) {
        tile[threads + threadIdx.x] = j + threads < n ? a[j + threads] : 0.0f;
    }
    __syncthreads(); // neighbours' elements were loaded by other threads
    const std::size_t i = start + threadIdx.x;
    if (i < n) {
        float sum = 0.0f;
        for (int k = 0; k <= 2 * radius; ++k) {
            sum += tile[threadIdx.x + static_cast<unsigned>(k)];
        }
        c[i] = sum;
    }
}
//! [stencil]
