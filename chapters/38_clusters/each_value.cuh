// The loop by which the threads of a persistent grid read all values.
#pragma once

#include "common/chapter.hpp"

//! [each_value]
// Calls count(word >> shift) for those of the n words that thread i of `grid_threads` threads
// reads: 16 bytes per load, with four loads in flight.
template<class Count>
__device__ void each_value(const unsigned* a, std::size_t n, unsigned shift, std::size_t i,
                           std::size_t grid_threads, Count count)
{
    constexpr unsigned loads = 4;
    const auto* vectors = reinterpret_cast<const uint4*>(a);
    const auto count_all = [&](uint4 v) {
        count(v.x >> shift);
        count(v.y >> shift);
        count(v.z >> shift);
        count(v.w >> shift);
    };
    if (i < n % 4) { // the last words, which fill no 16 bytes
        count(a[n / 4 * 4 + i] >> shift);
    }
#pragma unroll 1 // unrolled, loads of several iterations could be in flight
    for (; i + (loads - 1) * grid_threads < n / 4; i += loads * grid_threads) {
        uint4 v[loads];
        for (unsigned k = 0; k < loads; ++k) {
            v[k] = vectors[i + k * grid_threads];
        }
        for (unsigned k = 0; k < loads; ++k) {
            count_all(v[k]);
        }
    }
#pragma unroll 1
    for (; i < n / 4; i += grid_threads) { // the tail
        count_all(vectors[i]);
    }
}
//! [each_value]
