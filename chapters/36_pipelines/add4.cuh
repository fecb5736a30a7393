// The addition of float4s, and of the last floats that fill no float4.
#pragma once

#include "common/chapter.hpp"

// x + y, float by float.
__device__ inline float4 add4(float4 x, float4 y)
{
    return make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
}

// Adds the last n % 4 of n floats, by block 0: they fill no float4.
__device__ inline void add_last(const float4* a, const float4* b, float4* c, std::size_t n)
{
    const std::size_t i = n / 4 * 4 + threadIdx.x;
    if (blockIdx.x == 0 && i < n) {
        reinterpret_cast<float*>(c)[i] =
            reinterpret_cast<const float*>(a)[i] + reinterpret_cast<const float*>(b)[i];
    }
}
