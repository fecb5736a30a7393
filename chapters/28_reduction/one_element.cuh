// One element per thread, reduced by atomics, by a tree in shared memory, or by warp shuffles.
#pragma once

#include "operators.cuh"

//! [atomic]
constexpr unsigned threads = 256; // per block, where each thread has one element

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
template<class Op>
__global__ void shared_tree(const typename Op::Element* a, typename Op::Value* c, std::size_t n)
{
    __shared__ typename Op::Value x[threads];
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    x[threadIdx.x] = i < n ? Op::from_element(a[i], i) : 0;
    for (unsigned part = threads / 2; part > 0; part /= 2) {
        __syncthreads();
        if (threadIdx.x < part) {
            x[threadIdx.x] = Op::combine(x[threadIdx.x], x[threadIdx.x + part]);
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
    for (unsigned lanes = 16; lanes > 0; lanes /= 2) {
        x = Op::combine(x, __shfl_down_sync(0xffffffff, x, lanes));
    }
    return x;
}

// Reduces the values of a block's threads; thread 0 gets the result. 0 must be Op's identity.
template<class Op>
__device__ typename Op::Value reduce_block(typename Op::Value x)
{
    __shared__ typename Op::Value warps[32];
    x = reduce_warp<Op>(x);
    if (threadIdx.x % 32 == 0) {
        warps[threadIdx.x / 32] = x;
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        x = reduce_warp<Op>(threadIdx.x < blockDim.x / 32 ? warps[threadIdx.x] : 0);
    }
    return x;
}

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
