// Structure of arrays.
#pragma once

#include "common/chapter.hpp"

//! [soa]
// Structure of arrays: one array of n elements per field, in a and in c.
template<unsigned fields, unsigned used>
__global__ void add_soa(const float* a, float* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        float value[used];
        for (unsigned k = 0; k < used; ++k) {
            value[k] = a[k * n + i] + static_cast<float>(k + 1);
        }
        for (unsigned k = 0; k < used; ++k) {
            c[k * n + i] = value[k];
        }
    }
}
//! [soa]
