// Rows that become narrower, with a scale for each: read twice, or once and kept in registers.
#pragma once

#include "flips.cuh"

//! [largest]
// The largest of what the threads of a block have, in each of them.
template<class Float>
__device__ Float largest_of_block(Float x)
{
    __shared__ Float warps[32];
    for (unsigned lanes = 16; lanes > 0; lanes /= 2) {
        x = fmaxf(x, __shfl_xor_sync(0xffffffff, x, lanes));
    }
    if (threadIdx.x % 32 == 0) {
        warps[threadIdx.x / 32] = x;
    }
    __syncthreads();
    for (unsigned k = 0; k < blockDim.x / 32; ++k) {
        x = fmaxf(x, warps[k]);
    }
    return x;
}
//! [largest]

//! [row_twice]
template<class T>
__global__ void row_twice(const bf16* a, T* c, float* scale, std::size_t columns)
{
    const bf16* row = a + blockIdx.x * columns;
    float top = 0;
    for (std::size_t k = threadIdx.x; k < columns; k += blockDim.x) {
        top = fmaxf(top, fabsf(widen(row[k])));
    }
    top = largest_of_block(top);
    const float factor = top > 0 ? largest_number<T> / top : 0;
    for (std::size_t k = threadIdx.x; k < columns; k += blockDim.x) {
        c[blockIdx.x * columns + k] = narrow<T>(widen(row[k]) * factor);
    }
    if (threadIdx.x == 0) {
        scale[blockIdx.x] = top / largest_number<T>;
    }
}
//! [row_twice]

//! [row_once]
// The row waits in registers: `loads` times 16 bytes per thread, for up to as many columns.
template<class T, unsigned loads>
__global__ void row_once(const bf16* a, T* c, float* scale, std::size_t columns)
{
    const auto* row = reinterpret_cast<const uint4*>(a + blockIdx.x * columns);
    auto* out = reinterpret_cast<uint2*>(c + blockIdx.x * columns);
    uint4 words[loads] = {};
    bf16 v[8];
    float top = 0;
    for (unsigned j = 0; j < loads; ++j) {
        if (j * blockDim.x + threadIdx.x < columns / 8) {
            words[j] = row[j * blockDim.x + threadIdx.x];
        }
    }
    for (unsigned j = 0; j < loads; ++j) {
        memcpy(static_cast<void*>(v), &words[j], 16);
        for (unsigned k = 0; k < 8; ++k) {
            top = fmaxf(top, fabsf(widen(v[k])));
        }
    }
    top = largest_of_block(top);
    const float factor = top > 0 ? largest_number<T> / top : 0;
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
        scale[blockIdx.x] = top / largest_number<T>;
    }
}
//! [row_once]
