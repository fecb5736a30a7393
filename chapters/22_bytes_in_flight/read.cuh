// Reads an array, by loads of any width, with `loads` of them in flight per thread.
#pragma once

#include "common/chapter.hpp"

//! [fold]
// XORs the 32-bit words of a value, whatever its width.
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

// Each thread issues `loads` loads, waits for all of them, and repeats, so that no more are ever in
// flight. It stores the XOR of all words that it has read. If the loop were unrolled, the loads of
// two iterations could be in flight.
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
    for (; i < n; i += threads) { // the tail
        x ^= fold(a[i]);
    }
    c[std::size_t{blockIdx.x} * threads + threadIdx.x] = x;
}
//! [read]
