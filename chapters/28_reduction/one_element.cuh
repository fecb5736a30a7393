// One element per thread, reduced by atomics, by a tree in shared memory, or by warp shuffles.
#pragma once

#include "operators.cuh"

//! [atomic]
constexpr unsigned threads = 256; // per block, in kernels with one element per thread

// Every thread adds its element to c[0] by an atomic. Launch of the three kernels of this file: n
// threads in blocks of 256, with *c = 0.
template<class Op>
__global__ void atomic(const typename Op::Element* a, typename Op::Value* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        Op::atomic_combine(c, Op::from_element(a[i], i));
    }
}
//! [atomic]

//! [shared_tree]
// Reduces a block's elements by a tree in shared memory; one atomic per block.
template<class Op>
__global__ void shared_tree(const typename Op::Element* a, typename Op::Value* c, std::size_t n)
{
    __shared__ typename Op::Value x[threads];
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    x[threadIdx.x] = i < n ? Op::from_element(a[i], i) : 0;
    for (unsigned stride = threads / 2; stride > 0; stride /= 2) {
        __syncthreads();
        if (threadIdx.x < stride) {
            x[threadIdx.x] = Op::combine(x[threadIdx.x], x[threadIdx.x + stride]);
        }
    }
    if (threadIdx.x == 0) {
        Op::atomic_combine(c, x[0]);
    }
}
//! [shared_tree]

//! [shuffles]
// Reduces the values of a warp's lanes; lane 0 gets the result.
template<class Op>
__device__ typename Op::Value reduce_warp(typename Op::Value x)
{
    for (unsigned offset = 16; offset > 0; offset /= 2) {
        x = Op::combine(x, __shfl_down_sync(0xffffffff, x, offset));
    }
    return x;
}

// Reduces the values of a block's threads; thread 0 gets the result. 0 must be Op's identity.
template<class Op>
__device__ typename Op::Value reduce_block(typename Op::Value x)
{
    __shared__ typename Op::Value warp_partials[32];
    x = reduce_warp<Op>(x);
    if (threadIdx.x % 32 == 0) {
        warp_partials[threadIdx.x / 32] = x;
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        x = reduce_warp<Op>(threadIdx.x < blockDim.x / 32 ? warp_partials[threadIdx.x] : 0);
    }
    return x;
}

// Reduces a block's elements by shuffles; one atomic per block.
template<class Op>
__global__ void shuffles(const typename Op::Element* a, typename Op::Value* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const auto x = reduce_block<Op>(i < n ? Op::from_element(a[i], i) : 0);
    if (threadIdx.x == 0) {
        Op::atomic_combine(c, x);
    }
}
//! [shuffles]
