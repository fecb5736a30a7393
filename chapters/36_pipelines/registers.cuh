// Prefetching by loads into registers.
#pragma once

#include "add4.cuh"

//! [registers]
// A grid-stride loop with the loads of the next `prefetch_distance` iterations in flight to
// registers; with 0 it is the plain loop. add_last() adds the elements after the last float4.
// Launch: persistent blocks. Only ring() uses the last parameter.
template<unsigned prefetch_distance>
__global__ void registers(const float4* a, const float4* b, float4* c, std::size_t n, unsigned)
{
    const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
    std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if constexpr (prefetch_distance > 0) {
        float4 x[prefetch_distance], y[prefetch_distance];
        // Loads a whole batch, or nothing if less than a batch is left.
        const bool inside = i + (prefetch_distance - 1) * step < n / 4;
        for (unsigned k = 0; k < prefetch_distance && inside; ++k) {
            x[k] = a[i + k * step];
            y[k] = b[i + k * step];
        }
        // Continues as long as a whole further batch can be loaded.
#pragma unroll 1
        for (; i + (2 * prefetch_distance - 1) * step < n / 4; i += prefetch_distance * step) {
            for (unsigned k = 0; k < prefetch_distance; ++k) {
                __stcs(&c[i + k * step], add4(x[k], y[k]));
                x[k] = a[i + (prefetch_distance + k) * step];
                y[k] = b[i + (prefetch_distance + k) * step];
            }
        }
        for (unsigned k = 0; k < prefetch_distance && inside; ++k, i += step) {
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
