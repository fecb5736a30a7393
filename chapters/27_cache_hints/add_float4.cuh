// The addition of chapter 05, with hints and without.
#pragma once

#include "common/chapter.hpp"
#include "hints.cuh"

__device__ float4 add4(float4 x, float4 y)
{
    return make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
}

//! [add]
// Adds float4s as in chapter 05. Evict-first loads come with evict-first stores.
template<Hint hint>
__global__ void add_float4(const float* a, const float* b, float* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::size_t vectors = n / 4;
    if (i < vectors) {
        const float4* x = reinterpret_cast<const float4*>(a) + i;
        const float4* y = reinterpret_cast<const float4*>(b) + i;
        float4* z = reinterpret_cast<float4*>(c) + i;
        const float4 sum = add4(load<hint>(x), load<hint>(y));
        if (hint == Hint::evict_first) {
            __stcs(z, sum);
        } else {
            *z = sum;
        }
    } else if (i == vectors) {
        for (std::size_t k = 4 * vectors; k < n; ++k) {
            c[k] = a[k] + b[k];
        }
    }
}
//! [add]
