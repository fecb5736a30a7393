// Rows of bf16 quantised to 8 bits with a scale per row: read twice, or once and kept in registers.
#pragma once

// From chapter 27: load<hint>(p), which returns *p, loaded with a cache hint.
#include "../27_cache_hints/hints.cuh"
#include "flips.cuh"

//! [largest]
// Returns the maximum over the threads of a block, to each of them.
template<class Float>
__device__ Float block_max(Float x)
{
    __shared__ Float warp_maxima[32];
    for (unsigned offset = 16; offset > 0; offset /= 2) {
        x = fmaxf(x, __shfl_xor_sync(0xffffffff, x, offset));
    }
    if (threadIdx.x % 32 == 0) {
        warp_maxima[threadIdx.x / 32] = x;
    }
    __syncthreads();
    for (unsigned k = 0; k < blockDim.x / 32; ++k) {
        x = fmaxf(x, warp_maxima[k]);
    }
    return x;
}
//! [largest]

//! [row_twice]
// Quantizes row blockIdx.x: reads it for its largest magnitude, and again to convert it. Launch:
// one block per row.
template<class T>
__global__ void row_twice(const bf16* a, T* c, float* scale, std::size_t columns)
{
    const bf16* row = a + blockIdx.x * columns;
    float largest = 0;
    for (std::size_t k = threadIdx.x; k < columns; k += blockDim.x) {
        largest = fmaxf(largest, fabsf(widen(row[k])));
    }
    largest = block_max(largest);
    const float factor = largest > 0 ? largest_number<T> / largest : 0;
    for (std::size_t k = threadIdx.x; k < columns; k += blockDim.x) {
        c[blockIdx.x * columns + k] = narrow<T>(widen(row[k]) * factor);
    }
    if (threadIdx.x == 0) {
        scale[blockIdx.x] = largest / largest_number<T>;
    }
}
//! [row_twice]

//! [row_once]
// As row_twice, with one read: the row stays in registers, `loads` times 16 bytes per thread.
// Launch: one block per row, of at least columns / (8 * loads) threads.
template<class T, unsigned loads, Hint hint>
__global__ void row_once(const bf16* a, T* c, float* scale, std::size_t columns)
{
    const auto* row = reinterpret_cast<const uint4*>(a + blockIdx.x * columns);
    auto* out = reinterpret_cast<uint2*>(c + blockIdx.x * columns);
    uint4 words[loads] = {};
    bf16 v[8];
    float largest = 0;
    for (unsigned j = 0; j < loads; ++j) {
        if (j * blockDim.x + threadIdx.x < columns / 8) {
            words[j] = load<hint>(&row[j * blockDim.x + threadIdx.x]);
        }
    }
    for (unsigned j = 0; j < loads; ++j) {
        memcpy(static_cast<void*>(v), &words[j], 16);
        for (unsigned k = 0; k < 8; ++k) {
            largest = fmaxf(largest, fabsf(widen(v[k])));
        }
    }
    largest = block_max(largest);
    const float factor = largest > 0 ? largest_number<T> / largest : 0;
    for (unsigned j = 0; j < loads; ++j) {
        T to[8];
        memcpy(static_cast<void*>(v), &words[j], 16);
        for (unsigned k = 0; k < 8; ++k) {
            to[k] = narrow<T>(widen(v[k]) * factor);
        }
        if (j * blockDim.x + threadIdx.x < columns / 8) {
            memcpy(static_cast<void*>(&words[j]), to, 8);
            out[j * blockDim.x + threadIdx.x] = make_uint2(words[j].x, words[j].y);
        }
    }
    if (threadIdx.x == 0) {
        scale[blockIdx.x] = largest / largest_number<T>;
    }
}
//! [row_once]
