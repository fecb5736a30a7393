// A table of cache lines, each of which holds the address of the next.
#pragma once

#include "common/chapter.hpp"

//! [lines]
// A cache line with the address of the next one.
struct alignas(128) Line
{
    const Line* next;
};

// Returns the line after line i: the adjacent one, or a pseudorandom one. `lines` must be a power
// of two. Both orders visit every line before they return to the first (Hull and Dobell, 1962).
__host__ __device__ unsigned next_line(unsigned i, unsigned lines, bool random)
{
    return ((random ? 1664525u * i : i) + 1) % lines;
}

__global__ void link(Line* table, unsigned lines, bool random)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < lines) {
        table[i].next = &table[next_line(i, lines, random)];
    }
}
//! [lines]
