// The last lesson of chapter 18: the same copy with its blocks in another order.
#pragma once

#include "common/chapter.hpp"

#include <algorithm>

template<class T>
constexpr std::size_t GiB = (std::size_t{1} << 30) / sizeof(T);

//! [order]
// float4 once more, with the blocks in another order. They take turns in `streams` parts of the
// arrays, each from its beginning; and the places of `window` neighbours in the order of their bits
// read backwards, which is all over the window. Both are powers of two; 1 changes nothing.
__global__ void copy_ordered(const unsigned* a, unsigned* c, std::size_t n, unsigned streams,
                             unsigned window)
{
    const unsigned turn = blockIdx.x;
    const unsigned place = turn % streams * (gridDim.x / streams) + turn / streams;
    const unsigned within = place % window;
    const std::size_t block = place - within + __umulhi(__brev(within), window);
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

//! [order_rows]
struct Order
{
    unsigned streams;
    unsigned window; // blocks
    bool usual = true;
};

const Order orders[] = {{1, 1},           {2, 1},           {4, 1, false}, {16, 1},
                        {64, 1, false},   {1024, 1},        {1, 16},       {1, 256},
                        {1, 1024, false}, {1, 4096, false}, {1, 8192}};

void run_orders(common::Chapter& chapter)
{
    const std::size_t n = chapter.sizes({GiB<float>}, {1 << 18}, 2 * sizeof(float)).front();
    common::Copy<unsigned> p(chapter, {.n = n});
    for (const Order& order : orders) {
        if (!order.usual && !chapter.everything()) {
            continue;
        }
        chapter.run(
            {"copy_ordered",
             256,
             {{"unit", sizeof(uint4)}, {"streams", order.streams}, {"window", order.window}}},
            p, [&](cudaStream_t stream) {
                const unsigned step = std::max(order.streams, order.window);
                const unsigned blocks = common::blocks(n, 4 * 256 * step) * step;
                copy_ordered<<<blocks, 256, 0, stream>>>(p.a, p.c, n, order.streams, order.window);
            });
    }
    common::run_copy_libraries(chapter, p, {{"unit", sizeof(uint4)}});
}
//! [order_rows]
