// The addition of chapter 05, the baseline of the TMA.
#pragma once

#include "common/chapter.hpp"

__device__ float4 add4(float4 x, float4 y)
{
    return make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
}

//! [plain]
// c = a + b, by the kernel of chapter 05. Launch: a thread per float4, and one more for the last n
// % 4 elements.
__global__ void add_float4(const float* a, const float* b, float* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::size_t vectors = n / 4;
    if (i < vectors) {
        const float4 x = reinterpret_cast<const float4*>(a)[i];
        const float4 y = reinterpret_cast<const float4*>(b)[i];
        reinterpret_cast<float4*>(c)[i] = add4(x, y);
    } else if (i == vectors) {
        for (std::size_t k = 4 * vectors; k < n; ++k) {
            c[k] = a[k] + b[k];
        }
    }
}
//! [plain]
