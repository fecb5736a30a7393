// A copy with its blocks in another order.
#pragma once

#include "common/chapter.hpp"

//! [order]
// float4 once more, with the blocks in another order. They take turns in `streams` parts of the
// arrays, each from its beginning; and the places of `window` neighbours in the order of their bits
// read backwards, which is all over the window. Both are powers of two; 1 changes nothing.
__global__ void copy_ordered(const unsigned* a, unsigned* c, std::size_t n, unsigned streams,
                             unsigned window)
{
    const unsigned launch_index = blockIdx.x;
    const unsigned position =
        launch_index % streams * (gridDim.x / streams) + launch_index / streams;
    const unsigned within = position % window;
    const std::size_t block = position - within + __umulhi(__brev(within), window);
    const std::size_t i = block * blockDim.x + threadIdx.x;
    const std::size_t vectors = n / 4;
    if (i < vectors) {
        reinterpret_cast<uint4*>(c)[i] = reinterpret_cast<const uint4*>(a)[i];
    } else if (i == vectors) {
        for (std::size_t k = 4 * vectors; k < n; ++k) {
            c[k] = a[k];
        }
    }
}
//! [order]
