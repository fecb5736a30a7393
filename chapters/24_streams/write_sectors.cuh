// Stores to a part of every sector.
#pragma once

#include "common/chapter.hpp"

//! [sectors]
constexpr unsigned stores = 8; // per thread

// Writes the first `words` of the eight words of each sector; adjacent lanes write adjacent ones of
// these. Each row of blocks (blockIdx.y) is a pass.
template<unsigned words>
__global__ void write_sectors(unsigned* c, std::size_t n)
{
    const std::size_t first = std::size_t{blockIdx.x} * blockDim.x * stores + threadIdx.x;
    for (unsigned k = 0; k < stores; ++k) {
        const std::size_t i = first + std::size_t{k} * blockDim.x;
        const std::size_t at = i / words * 8 + i % words;
        if (at < n) {
            c[at] = static_cast<unsigned>(at);
        }
    }
}
//! [sectors]
