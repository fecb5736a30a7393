// The element of the matrix that a thread transposes.
#pragma once

#include "common/chapter.hpp"

//! [place]
// Element (y, x) of a, for each thread of a block. The lanes of a warp access adjacent elements of
// a row of a or, with `down`, of a column of a, which is a row of c.
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
