// Many elements per thread, 16 bytes per load, by blocks that stay for the whole reduction.
#pragma once

#include "one_element.cuh"

//! [grid_stride]
constexpr unsigned block = 512; // where a thread has many

// Blocks per multiprocessor: full occupancy, which leaves 32 registers per thread. Values of 64
// bits need more registers.
template<class Op>
constexpr unsigned resident = common::bound_blocks(sizeof(typename Op::Value) == 8 ? 3 : 4, block);

// Joins a thread's share of the array: 16 bytes per load, with `loads` loads in flight.
template<class Op, unsigned loads>
__device__ typename Op::Value join_share(const typename Op::Element* a, std::size_t n)
{
    const auto* fours = reinterpret_cast<const typename Op::Four*>(a);
    typename Op::Value x = 0;
    std::size_t i = std::size_t{blockIdx.x} * block * loads + threadIdx.x;
#pragma unroll 1 // unrolled, the loop would have the loads of several rounds in flight
    for (; i + (loads - 1) * block < n / 4; i += std::size_t{gridDim.x} * block * loads) {
        typename Op::Four v[loads];
        for (unsigned k = 0; k < loads; ++k) {
            v[k] = fours[i + k * block];
        }
        for (unsigned k = 0; k < loads; ++k) {
            x = Op::join(x, join_four<Op>(v[k], 4 * (i + k * block)));
        }
    }
#pragma unroll 1
    for (; i < n / 4; i += block) { // a last round that is not a whole one
        x = Op::join(x, join_four<Op>(fours[i], 4 * i));
    }
    if (blockIdx.x == 0 && threadIdx.x < n % 4) { // elements that are not four
        const std::size_t last = n / 4 * 4 + threadIdx.x;
        x = Op::join(x, Op::of(a[last], last));
    }
    return x;
}

template<class Op, unsigned loads>
__global__ void __launch_bounds__(block, resident<Op>)
    grid_stride(const typename Op::Element* a, typename Op::Value* c, std::size_t n)
{
    const auto x = join_block<Op>(join_share<Op, loads>(a, n));
    if (threadIdx.x == 0) {
        Op::join_at(c, x);
    }
}
//! [grid_stride]
