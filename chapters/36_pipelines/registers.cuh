// Loads into registers, of the next steps too.
#pragma once

#include "add4.cuh"

//! [registers]
// In steps of the grid, with the loads of the next `ahead` steps in flight to registers. With
// none ahead it is a loop as in chapter 03.
template<unsigned ahead>
__global__ void registers(const float4* a, const float4* b, float4* c, std::size_t n, unsigned)
{
    const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
    std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if constexpr (ahead > 0) {
        float4 x[ahead], y[ahead];
        const bool all = i + (ahead - 1) * step < n / 4;
        for (unsigned k = 0; k < ahead && all; ++k) {
            x[k] = a[i + k * step];
            y[k] = b[i + k * step];
        }
#pragma unroll 1
        for (; i + (2 * ahead - 1) * step < n / 4; i += ahead * step) {
            for (unsigned k = 0; k < ahead; ++k) {
                __stcs(&c[i + k * step], add4(x[k], y[k]));
                x[k] = a[i + (ahead + k) * step];
                y[k] = b[i + (ahead + k) * step];
            }
        }
        for (unsigned k = 0; k < ahead && all; ++k, i += step) {
            __stcs(&c[i], add4(x[k], y[k]));
        }
    }
#pragma unroll 1
    for (; i < n / 4; i += step) {
        __stcs(&c[i], add4(a[i], b[i]));
    }
    add_last(a, b, c, n);
}
//! [registers]
