// Which element of the matrix a thread has.
#pragma once

#include "common/chapter.hpp"

//! [place]
// Element (y, x) of a, for each thread of a block. `down` says which way the lanes of a warp lie
// side by side: along a row of a, or down a column, and so along a row of c.
struct Place
{
    std::size_t x;
    std::size_t y;
};

template<bool down>
__device__ Place place(uint2 block)
{
    const std::size_t along = std::size_t{block.x} * blockDim.x + threadIdx.x;
    const std::size_t across = std::size_t{block.y} * blockDim.y + threadIdx.y;
    return down ? Place{across, along} : Place{along, across};
}
//! [place]
