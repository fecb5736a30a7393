// A copy with a permuted block order.
#pragma once

#include "common/chapter.hpp"
#include "hints.cuh"

//! [order]
// Copies one uint4 per thread, with a permuted block order. Consecutive blocks copy from `streams`
// equal parts of the array in turn, each part from its start. Within every `window` consecutive
// blocks of a part, the order is bit-reversed, so that neighbours in time are far apart in memory.
// Both are powers of two; 1 changes nothing.
template<Hint hint>
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
        reinterpret_cast<uint4*>(c)[i] = load<hint>(reinterpret_cast<const uint4*>(a) + i);
    } else if (i == vectors) {
        for (std::size_t k = 4 * vectors; k < n; ++k) {
            c[k] = a[k];
        }
    }
}
//! [order]
