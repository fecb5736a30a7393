// A stream through an array that comes back to its beginning in every pass.
#pragma once

#include "common/chapter.hpp"

//! [kernel]
// c[i] = a[i] + a[i % window], four floats per thread. The grid is as wide as the window, with a
// row of blocks for each pass. A window has whole float4s; at the end of the array some are left.
__global__ void add_window(const float* a, float* c, std::size_t window, std::size_t n)
{
    const std::size_t j = 4 * (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x);
    const std::size_t i = blockIdx.y * window + j;
    if (j < window && i + 4 <= n) {
        const float4 streamed = *reinterpret_cast<const float4*>(a + i);
        const float4 kept = *reinterpret_cast<const float4*>(a + j);
        *reinterpret_cast<float4*>(c + i) = make_float4(streamed.x + kept.x, streamed.y + kept.y,
                                                        streamed.z + kept.z, streamed.w + kept.w);
    } else if (j < window) {
        for (std::size_t k = 0; i + k < n; ++k) {
            c[i + k] = a[i + k] + a[j + k];
        }
    }
}
//! [kernel]
