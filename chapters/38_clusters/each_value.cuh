// How a persistent grid reads the values of words.
#pragma once

#include "common/chapter.hpp"

//! [each_value]
// Calls count(value) for each of n words that are those of thread i of `threads`: 16 bytes at a
// time, with four loads in flight. The value of a word is what is left without its lower `down`
// bits.
template<class Count>
__device__ void each_value(const unsigned* a, std::size_t n, unsigned down, std::size_t i,
                           std::size_t threads, Count count)
{
    constexpr unsigned loads = 4;
    const auto* vectors = reinterpret_cast<const uint4*>(a);
    const auto count_all = [&](uint4 v) {
        count(v.x >> down);
        count(v.y >> down);
        count(v.z >> down);
        count(v.w >> down);
    };
    if (i < n % 4) { // words that are not 16 bytes
        count(a[n / 4 * 4 + i] >> down);
    }
#pragma unroll 1 // unrolled, the loop would have the loads of several rounds in flight
    for (; i + (loads - 1) * threads < n / 4; i += loads * threads) {
        uint4 v[loads];
        for (unsigned k = 0; k < loads; ++k) {
            v[k] = vectors[i + k * threads];
        }
        for (unsigned k = 0; k < loads; ++k) {
            count_all(v[k]);
        }
    }
#pragma unroll 1
    for (; i < n / 4; i += threads) { // a last round that is not a whole one
        count_all(vectors[i]);
    }
}
//! [each_value]
