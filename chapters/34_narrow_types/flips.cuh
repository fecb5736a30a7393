// One element or 16 bytes of elements per thread, with `steps` FMAs per element; and pairs of bf16.
#pragma once

#include "conversions.hpp"

#include <cstddef>
#include <cstring>

using bf16 = __nv_bfloat16;
constexpr unsigned threads = 256; // per block

//! [element]
// Applies x = x * factor + term `steps` times.
template<unsigned steps>
__device__ float flip(float x, float factor, float term)
{
#pragma unroll
    for (unsigned k = 0; k < steps; ++k) {
        x = x * factor + term;
    }
    return x;
}

// Launch: one thread per element.
template<class T, unsigned steps>
__global__ void element(const T* a, T* c, std::size_t n, float factor, float term)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = narrow<T>(flip<steps>(widen(a[i]), factor, term));
    }
}
//! [element]

//! [sixteen_bytes]
// As element, with 16 bytes per load and store. Launch: one thread per 16 bytes.
template<class T, unsigned steps>
__global__ void sixteen_bytes(const T* a, T* c, std::size_t n, float factor, float term)
{
    constexpr unsigned count = 16 / sizeof(T);
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n / count) {
        uint4 words = reinterpret_cast<const uint4*>(a)[i];
        T v[count];
        memcpy(static_cast<void*>(v), &words, 16);
#pragma unroll
        for (unsigned k = 0; k < count; ++k) {
            v[k] = narrow<T>(flip<steps>(widen(v[k]), factor, term));
        }
        memcpy(static_cast<void*>(&words), v, 16);
        reinterpret_cast<uint4*>(c)[i] = words;
    }
    if (i < n % count) { // elements after the last 16 bytes
        const std::size_t last = n / count * count + i;
        c[last] = narrow<T>(flip<steps>(widen(a[last]), factor, term));
    }
}
//! [sixteen_bytes]

// Returns a b + c for a pair of bf16 values. Before compute capability 8.0 there is no such
// instruction.
__device__ inline __nv_bfloat162 fma_pair(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
    return __floats2bfloat162_rn(fmaf(__low2float(a), __low2float(b), __low2float(c)),
                                 fmaf(__high2float(a), __high2float(b), __high2float(c)));
#else
    return __hfma2(a, b, c);
#endif
}

//! [pairs]
// Computes pairs of bf16 values in bf16: nothing is converted, and each step rounds. Launch: one
// thread per eight elements.
template<unsigned steps>
__global__ void pairs(const bf16* a, bf16* c, std::size_t n, float factor, float term)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const __nv_bfloat162 factors = __float2bfloat162_rn(factor);
    const __nv_bfloat162 terms = __float2bfloat162_rn(term);
    if (i < n / 8) {
        uint4 words = reinterpret_cast<const uint4*>(a)[i];
        __nv_bfloat162 v[4];
        memcpy(static_cast<void*>(v), &words, 16);
        for (unsigned k = 0; k < 4; ++k) {
#pragma unroll
            for (unsigned step = 0; step < steps; ++step) {
                v[k] = fma_pair(v[k], factors, terms);
            }
        }
        memcpy(static_cast<void*>(&words), v, 16);
        reinterpret_cast<uint4*>(c)[i] = words;
    }
    if (i < n % 8) {
        const std::size_t last = n / 8 * 8 + i;
        c[last] = narrow<bf16>(flip<steps>(widen(a[last]), factor, term));
    }
}
//! [pairs]
