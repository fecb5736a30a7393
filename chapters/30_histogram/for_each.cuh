// How the threads of a persistent grid load the elements that they count.
#pragma once

#include "global.cuh"

//! [share]
// Calls count(bin) for each element of a word: for one word, or for four bytes.
template<class T, class Count>
__device__ void for_each_in_word(unsigned word, Count count)
{
    for (unsigned k = 0; k < sizeof word / sizeof(T); ++k) {
        count(bin_of(static_cast<T>(word >> 8 * k)));
    }
}

template<class T, class Count>
__device__ void for_each_in_vector(uint4 v, Count count)
{
    for_each_in_word<T>(v.x, count);
    for_each_in_word<T>(v.y, count);
    for_each_in_word<T>(v.z, count);
    for_each_in_word<T>(v.w, count);
}

// Calls count(bin) for each of the n elements that this thread of a persistent grid reads: 16 bytes
// per load, with four loads in flight.
template<class T, class Count>
__device__ void for_each_element(const T* a, std::size_t n, Count count)
{
    constexpr unsigned loads = 4;
    const auto* vectors = reinterpret_cast<const uint4*>(a);
    const std::size_t end = n * sizeof(T) / sizeof(uint4);
    const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
    std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
#pragma unroll 1 // unrolled, loads of several iterations could be in flight
    for (; i + (loads - 1) * step < end; i += loads * step) {
        uint4 v[loads];
        for (unsigned k = 0; k < loads; ++k) {
            v[k] = vectors[i + k * step];
        }
        for (unsigned k = 0; k < loads; ++k) {
            for_each_in_vector<T>(v[k], count);
        }
    }
#pragma unroll 1
    for (; i < end; i += step) { // the tail
        for_each_in_vector<T>(vectors[i], count);
    }
    const std::size_t last = end * sizeof(uint4) / sizeof(T) + threadIdx.x;
    if (blockIdx.x == 0 && last < n) { // elements after the last vector
        count(bin_of(a[last]));
    }
}
//! [share]
