// One atomic in global memory per element.
#pragma once

#include "common/chapter.hpp"

//! [global]
constexpr unsigned bins = 256;

// Returns the bin of an element: the value of a byte, or the upper 8 bits of a word.
template<class T>
__device__ unsigned bin_of(T x)
{
    return x >> (8 * sizeof(T) - 8);
}

// c[x] = how many of n elements are in bin x. c has 256 counters, which are 0 at first. Launch: a
// thread per element.
template<class T>
__global__ void global(const T* a, unsigned* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicAdd(&c[bin_of(a[i])], 1);
    }
}
//! [global]
