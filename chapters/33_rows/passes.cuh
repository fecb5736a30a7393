// Kernels that read each row again in every pass.
#pragma once

#include "reduce_row.cuh"

//! [three_passes]
// Computes a softmax by its definition: the largest, then the sum, then the results.
__global__ void three_passes(const bf16* a, bf16* c, RowShape s)
{
    float2 all = Softmax::identity();
    for (unsigned i = threadIdx.x; i < s.columns; i += threads) {
        all.x = fmaxf(all.x, a[s.at(blockIdx.x, i)]);
    }
    all = reduce_row<Softmax, threads>(all);
    for (unsigned i = threadIdx.x; i < s.columns; i += threads) {
        all.y += __expf(__bfloat162float(a[s.at(blockIdx.x, i)]) - all.x);
    }
    __syncthreads(); // all have read what the first pass left in shared memory
    all = reduce_row<Softmax, threads>(all);
    write_row<Softmax>(a, nullptr, c, s, Softmax::factors(all, s.columns));
}
//! [three_passes]

//! [two_passes]
// Reduces the row in one pass, and computes the results in a second.
template<class Op>
__global__ void two_passes(const bf16* a, const bf16* w, bf16* c, RowShape s)
{
    float2 all = Op::identity();
    for (unsigned i = threadIdx.x; i < s.columns; i += threads) {
        all = Op::combine(all, Op::from_element(a[s.at(blockIdx.x, i)], weight<Op>(w, i)));
    }
    all = reduce_row<Op, threads>(all);
    write_row<Op>(a, w, c, s, Op::factors(all, s.columns));
}
//! [two_passes]
