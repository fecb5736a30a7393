// Persistent blocks that reduce many elements per thread, 16 bytes per load.
#pragma once

#include "one_element.cuh"

//! [grid_stride]
constexpr unsigned persistent_threads = 512; // per block, in persistent kernels

// Resident blocks per SM: four are full occupancy, with 32 registers per thread. Values of 64 bits
// need more registers. bound_blocks() lowers the number on GPUs that cannot hold so many.
template<class Op>
constexpr unsigned blocks_per_sm = common::bound_blocks(sizeof(typename Op::Value) == 8 ? 3 : 4,
                                                        persistent_threads);

// Reduces the elements of one thread of a persistent grid: 16 bytes per load, with `loads` loads in
// flight.
template<class Op, unsigned loads>
__device__ typename Op::Value reduce_thread(const typename Op::Element* a, std::size_t n)
{
    const auto* vectors = reinterpret_cast<const typename Op::Vec4*>(a);
    typename Op::Value x = 0;
    std::size_t i = std::size_t{blockIdx.x} * persistent_threads * loads + threadIdx.x;
#pragma unroll 1 // unrolled, loads of several iterations could be in flight
    for (; i + (loads - 1) * persistent_threads < n / 4;
         i += std::size_t{gridDim.x} * persistent_threads * loads) {
        typename Op::Vec4 v[loads];
        for (unsigned k = 0; k < loads; ++k) {
            v[k] = vectors[i + k * persistent_threads];
        }
        for (unsigned k = 0; k < loads; ++k) {
            x = Op::combine(x, combine4<Op>(v[k], 4 * (i + k * persistent_threads)));
        }
    }
#pragma unroll 1
    for (; i < n / 4; i += persistent_threads) { // the tail
        x = Op::combine(x, combine4<Op>(vectors[i], 4 * i));
    }
    if (blockIdx.x == 0 && threadIdx.x < n % 4) { // after the last vector
        const std::size_t last = n / 4 * 4 + threadIdx.x;
        x = Op::combine(x, Op::from_element(a[last], last));
    }
    return x;
}

// One atomic per persistent block. Launch: at most as many blocks as are resident, with *c = 0.
template<class Op, unsigned loads>
__global__ void __launch_bounds__(persistent_threads, blocks_per_sm<Op>)
    grid_stride(const typename Op::Element* a, typename Op::Value* c, std::size_t n)
{
    const auto x = reduce_block<Op>(reduce_thread<Op, loads>(a, n));
    if (threadIdx.x == 0) {
        Op::atomic_combine(c, x);
    }
}
//! [grid_stride]
