// Which elements per thread of a persistent grid counts, and how it loads them.
#pragma once

#include "global.cuh"

//! [share]
// Calls count(bin) for each element of a word: that is one, or four bytes.
template<class T, class Count>
__device__ void each_of_word(unsigned word, Count count)
{
    for (unsigned k = 0; k < sizeof word / sizeof(T); ++k) {
        count(bin_of(static_cast<T>(word >> 8 * k)));
    }
}

template<class T, class Count>
__device__ void each_of_vector(uint4 v, Count count)
{
    each_of_word<T>(v.x, count);
    each_of_word<T>(v.y, count);
    each_of_word<T>(v.z, count);
    each_of_word<T>(v.w, count);
}

// Calls count(bin) for each element that is this thread's: 16 bytes at a time, in a persistent
// grid, with four loads in flight.
template<class T, class Count>
__device__ void each_of_share(const T* a, std::size_t n, Count count)
{
    constexpr unsigned loads = 4;
    const auto* vectors = reinterpret_cast<const uint4*>(a);
    const std::size_t end = n * sizeof(T) / sizeof(uint4);
    const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
    std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
#pragma unroll 1 // unrolled, the loop would have the loads of several rounds in flight
    for (; i + (loads - 1) * step < end; i += loads * step) {
        uint4 v[loads];
        for (unsigned k = 0; k < loads; ++k) {
            v[k] = vectors[i + k * step];
        }
        for (unsigned k = 0; k < loads; ++k) {
            each_of_vector<T>(v[k], count);
        }
    }
#pragma unroll 1
    for (; i < end; i += step) { // a last round that is not a whole one
        each_of_vector<T>(vectors[i], count);
    }
    const std::size_t last = end * sizeof(uint4) / sizeof(T) + threadIdx.x;
    if (blockIdx.x == 0 && last < n) { // elements that are not 16 bytes
        count(bin_of(a[last]));
    }
}
//! [share]
