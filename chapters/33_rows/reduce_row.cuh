// Combines the partial results of a row's threads, and stores results one at a time.
#pragma once

#include "operations.cuh"

constexpr unsigned threads = 256; // per row, in kernels with one element per load

//! [reduce_row]
// Combines the partial results of the T threads of a row; each of them gets the result.
template<class Op, unsigned T>
__device__ float2 reduce_row(float2 x)
{
    for (unsigned lanes = 16; lanes > 0; lanes /= 2) {
        const float y = __shfl_xor_sync(0xffffffff, x.y, lanes);
        x = Op::combine(x, make_float2(__shfl_xor_sync(0xffffffff, x.x, lanes), y));
    }
    if constexpr (T > 32) {
        __shared__ float2 warps[T / 32];
        if (threadIdx.x % 32 == 0) {
            warps[threadIdx.x / 32] = x;
        }
        __syncthreads();
        x = warps[0];
        for (unsigned k = 1; k < T / 32; ++k) {
            x = Op::combine(x, warps[k]);
        }
    }
    return x;
}

template<class Op>
__device__ void write_row(const bf16* a, const bf16* w, bf16* c, RowShape s, float2 factors)
{
    for (unsigned i = threadIdx.x; i < s.width; i += threads) {
        const float x = a[s.at(blockIdx.x, i)];
        c[s.at(blockIdx.x, i)] = Op::result(x, weight<Op>(w, i), factors);
    }
}
//! [reduce_row]
