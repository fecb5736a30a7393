// A read of an array, by loads of any width and as many in flight as are requested.
#pragma once

#include "common/chapter.hpp"

//! [fold]
// The bits of a value in one word, whatever its width.
__device__ unsigned fold(unsigned x)
{
    return x;
}
__device__ unsigned fold(uint2 x)
{
    return x.x ^ x.y;
}
__device__ unsigned fold(uint4 x)
{
    return x.x ^ x.y ^ x.z ^ x.w;
}
//! [fold]

//! [read]
constexpr unsigned threads = 256;

// Each thread has `loads` loads in flight, waits for all of them, and begins again: no more is
// ever in flight and, but for a moment, no less. What it has read becomes one word. Unrolled, the
// loop could have the loads of two rounds in flight.
template<class T, unsigned loads>
__global__ void __launch_bounds__(threads) read(const void* array, unsigned* c, std::size_t n)
{
    const T* a = static_cast<const T*>(array);
    const std::size_t step = std::size_t{gridDim.x} * threads * loads;
    std::size_t i = std::size_t{blockIdx.x} * threads * loads + threadIdx.x;
    unsigned x = 0;
#pragma unroll 1
    for (; i + (loads - 1) * threads < n; i += step) {
        T v[loads];
        for (unsigned k = 0; k < loads; ++k) {
            v[k] = a[i + k * threads];
        }
        for (unsigned k = 0; k < loads; ++k) {
            x ^= fold(v[k]);
        }
    }
#pragma unroll 1
    for (; i < n; i += threads) { // a last round that is not a whole one
        x ^= fold(a[i]);
    }
    c[std::size_t{blockIdx.x} * threads + threadIdx.x] = x;
}
//! [read]
