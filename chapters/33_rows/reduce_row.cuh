// The partial result of a softmax, and the reduction of a row's partial results by its threads.
#pragma once

#include "row_shape.hpp" // RowShape: rows, columns, and at(row, column), an index in row-major order

#include <cuda_bf16.h>

using bf16 = __nv_bfloat16;

//! [reduce_row]
// The partial result of a softmax is a float2: x is the largest element so far, and y the sum of
// e^(element - x), which cannot overflow.
struct MaxAndSum
{
    // The partial result of no elements. (Not -infinity, because -infinity - -infinity is NaN.)
    static __device__ float2 identity() { return make_float2(-3.4e38F, 0); }
    // Combines two partial results: the sum with the smaller maximum is rescaled.
    static __device__ float2 combine(float2 a, float2 b)
    {
        const float largest = fmaxf(a.x, b.x);
        return make_float2(largest, a.y * __expf(a.x - largest) + b.y * __expf(b.x - largest));
    }
};

// Combines the partial results of a row's threads by warp shuffles and, for more than one warp,
// through shared memory. Every thread gets the result. Op has combine(), as MaxAndSum has.
template<class Op, unsigned threads_per_row>
__device__ float2 reduce_row(float2 x)
{
    for (unsigned offset = 16; offset > 0; offset /= 2) {
        const float y = __shfl_xor_sync(0xffffffff, x.y, offset);
        x = Op::combine(x, make_float2(__shfl_xor_sync(0xffffffff, x.x, offset), y));
    }
    if constexpr (threads_per_row > 32) {
        __shared__ float2 warp_partials[threads_per_row / 32];
        if (threadIdx.x % 32 == 0) {
            warp_partials[threadIdx.x / 32] = x;
        }
        __syncthreads();
        x = warp_partials[0];
        for (unsigned warp = 1; warp < threads_per_row / 32; ++warp) {
            x = Op::combine(x, warp_partials[warp]);
        }
    }
    return x;
}
//! [reduce_row]
