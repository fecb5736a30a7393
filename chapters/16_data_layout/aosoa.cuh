// Array of structures of arrays.
#pragma once

#include "common/chapter.hpp"

//! [aosoa]
// The hybrid: an array of tiles, each a structure of arrays of 32 records, one for each lane.
constexpr std::size_t tile = 32;

template<unsigned fields, unsigned used>
__global__ void add_aosoa(const float* a, float* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        const std::size_t first = i / tile * tile * fields + i % tile; // field 0 of record i
        float value[used];
        for (unsigned k = 0; k < used; ++k) {
            value[k] = a[first + k * tile] + static_cast<float>(k + 1);
        }
        for (unsigned k = 0; k < used; ++k) {
            c[first + k * tile] = value[k];
        }
    }
}
//! [aosoa]
