// Sums of float4: with two ways to add the tail, and with float4 in the signature.
#pragma once

#include "common/chapter.hpp"

//! [add4]
__device__ float4 add4(float4 x, float4 y)
{
    return make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
}
//! [add4]

//! [float4]
// n need not be a multiple of four: one thread adds the last n % 4 elements one by one.
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
//! [float4]

//! [float2_tail]
// The same, with a float2 for the first two elements of the tail.
__global__ void add_float4_float2(const float* a, const float* b, float* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::size_t vectors = n / 4;
    if (i < vectors) {
        const float4 x = reinterpret_cast<const float4*>(a)[i];
        const float4 y = reinterpret_cast<const float4*>(b)[i];
        reinterpret_cast<float4*>(c)[i] = add4(x, y);
    } else if (i == vectors) {
        const std::size_t k = 4 * vectors;
        if (n % 4 >= 2) {
            const float2 x = *reinterpret_cast<const float2*>(a + k);
            const float2 y = *reinterpret_cast<const float2*>(b + k);
            *reinterpret_cast<float2*>(c + k) = make_float2(x.x + y.x, x.y + y.y);
        }
        if (n % 2 == 1) {
            c[n - 1] = a[n - 1] + b[n - 1];
        }
    }
}
//! [float2_tail]

//! [parameters]
// float4 pointers in the signature: the caller has to cast, and so promises the alignment.
__global__ void add_float4_parameters(const float4* a, const float4* b, float4* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::size_t vectors = n / 4;
    if (i < vectors) {
        c[i] = add4(a[i], b[i]);
    } else if (i == vectors) {
        for (std::size_t k = 4 * vectors; k < n; ++k) {
            reinterpret_cast<float*>(c)[k] =
                reinterpret_cast<const float*>(a)[k] + reinterpret_cast<const float*>(b)[k];
        }
    }
}
//! [parameters]
