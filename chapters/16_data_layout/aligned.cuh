// Array of aligned structures, moved in accesses of 8 or 16 bytes.
#pragma once

#include "common/chapter.hpp"

#include <type_traits>

//! [aligned]
// The layout of add_aos, and a promise: a record starts at a multiple of its size. So it can be
// moved whole: by one access of 8 or of 16 bytes, or by two of 16.
template<unsigned fields>
struct alignas(4 * fields) AlignedRecord
{
    float field[fields];
};

__device__ float2 plus(float2 v, float k)
{
    return make_float2(v.x + k + 1, v.y + k + 2);
}

__device__ float4 plus(float4 v, float k)
{
    return make_float4(v.x + k + 1, v.y + k + 2, v.z + k + 3, v.w + k + 4);
}

template<unsigned fields>
__global__ void add_aligned(const AlignedRecord<fields>* a, AlignedRecord<fields>* c, std::size_t n)
{
    using Part = std::conditional_t<fields == 2, float2, float4>;
    constexpr unsigned parts = sizeof(a[0]) / sizeof(Part);
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        Part value[parts];
        for (unsigned p = 0; p < parts; ++p) {
            const Part part = reinterpret_cast<const Part*>(&a[i])[p];
            value[p] = plus(part, static_cast<float>(4 * p));
        }
        for (unsigned p = 0; p < parts; ++p) {
            reinterpret_cast<Part*>(&c[i])[p] = value[p];
        }
    }
}
//! [aligned]
