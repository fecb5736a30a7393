// Stores that leave a part of every sector out.
#pragma once

#include "common/chapter.hpp"

//! [sectors]
constexpr unsigned stores = 8; // of a thread

// Writes the first `words` words of each sector of eight. Lanes side by side write words that
// follow each other. A row of blocks is a pass.
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
