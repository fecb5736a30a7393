// Array of structures.
#pragma once

#include "common/chapter.hpp"

//! [aos]
template<unsigned fields>
struct Record
{
    float field[fields];
};

// Array of structures: the fields of a record are neighbours, those of the next record follow.
template<class Structure, unsigned used>
__global__ void add_aos(const Structure* a, Structure* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        float value[used];
        for (unsigned k = 0; k < used; ++k) {
            value[k] = a[i].field[k] + static_cast<float>(k + 1);
        }
        for (unsigned k = 0; k < used; ++k) {
            c[i].field[k] = value[k];
        }
    }
}
//! [aos]
