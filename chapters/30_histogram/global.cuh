// One atomic in global memory for each element.
#pragma once

#include "common/chapter.hpp"

//! [global]
constexpr unsigned bins = 256;

// Which counter an element adds to: that of a byte's value, or of a word's upper 8 bits.
template<class T>
__device__ unsigned bin_of(T x)
{
    return x >> (8 * sizeof(T) - 8);
}

template<class T>
__global__ void global(const T* a, unsigned* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicAdd(&c[bin_of(a[i])], 1);
    }
}
//! [global]
