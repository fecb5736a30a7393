// Threads that add to one counter.
#pragma once

#include "common/chapter.hpp"

//! [atomics]
constexpr unsigned additions = 8; // of a thread

// Which of `counters` addition i goes to: one after another, or as if at random (the bits of i,
// mixed).
__host__ __device__ unsigned counter_of(unsigned i, unsigned counters, bool random)
{
    if (random) {
        i = (i ^ i >> 16) * 0x7feb352du;
        i = (i ^ i >> 15) * 0x846ca68bu;
        i ^= i >> 16;
    }
    return i % counters;
}

// Adds 2 to counters, so that their values are always even. The compiler does not know that: with
// `returns`, the kernel has to wait for the old value of the counter.
template<bool returns>
__global__ void count(unsigned* c, std::size_t n, unsigned counters, bool random, unsigned odd)
{
    const std::size_t first = std::size_t{blockIdx.x} * blockDim.x * additions + threadIdx.x;
    for (unsigned k = 0; k < additions; ++k) {
        const std::size_t i = first + std::size_t{k} * blockDim.x;
        if (i >= n) {
            return;
        }
        unsigned* counter = &c[counter_of(static_cast<unsigned>(i), counters, random)];
        const unsigned before = atomicAdd(counter, 2);
        if (returns && before == odd) {
            *counter = 0;
        }
    }
}
//! [atomics]
