// Persistent blocks that reduce many elements per thread, 16 bytes per load.
#pragma once

#include "one_element.cuh"

//! [grid_stride]
constexpr unsigned block = 512; // threads per block of persistent kernels

// Blocks per SM: four are full occupancy, with 32 registers per thread. Values of 64 bits need more
// registers. bound_blocks() lowers the number on GPUs that cannot hold so many.
template<class Op>
constexpr unsigned resident = common::bound_blocks(sizeof(typename Op::Value) == 8 ? 3 : 4, block);

// Reduces a thread's share of the array: 16 bytes per load, with `loads` loads in flight.
template<class Op, unsigned loads>
__device__ typename Op::Value reduce_thread(const typename Op::Element* a, std::size_t n)
{
    const auto* vectors = reinterpret_cast<const typename Op::Four*>(a);
    typename Op::Value x = 0;
    std::size_t i = std::size_t{blockIdx.x} * block * loads + threadIdx.x;
#pragma unroll 1 // unrolled, loads of several iterations could be in flight
    for (; i + (loads - 1) * block < n / 4; i += std::size_t{gridDim.x} * block * loads) {
        typename Op::Four v[loads];
        for (unsigned k = 0; k < loads; ++k) {
            v[k] = vectors[i + k * block];
        }
        for (unsigned k = 0; k < loads; ++k) {
            x = Op::combine(x, combine4<Op>(v[k], 4 * (i + k * block)));
        }
    }
#pragma unroll 1
    for (; i < n / 4; i += block) { // the tail
        x = Op::combine(x, combine4<Op>(vectors[i], 4 * i));
    }
    if (blockIdx.x == 0 && threadIdx.x < n % 4) { // after the last vector
        const std::size_t last = n / 4 * 4 + threadIdx.x;
        x = Op::combine(x, Op::from_element(a[last], last));
    }
    return x;
}

template<class Op, unsigned loads>
__global__ void __launch_bounds__(block, resident<Op>)
    grid_stride(const typename Op::Element* a, typename Op::Value* c, std::size_t n)
{
    const auto x = reduce_block<Op>(reduce_thread<Op, loads>(a, n));
    if (threadIdx.x == 0) {
        Op::atomic_combine(c, x);
    }
}
//! [grid_stride]
