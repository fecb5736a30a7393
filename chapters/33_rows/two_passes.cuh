// An online softmax, or a norm, in two passes over the row: one block per row, 2-byte loads.
#pragma once

#include "operations.cuh"
// `threads`, the block size.
#include "three_passes.cuh"

//! [two_passes]
// Reduces row blockIdx.x in one pass, and computes the results in a second. weight<Op>(w, i) is the
// weight of column i, or 0 for a softmax. Launch: s.rows blocks of `threads` threads.
template<class Op>
__global__ void two_passes(const bf16* a, const bf16* w, bf16* c, RowShape s)
{
    float2 partial = Op::identity();
    for (unsigned i = threadIdx.x; i < s.columns; i += threads) {
        partial = Op::combine(partial, Op::from_element(a[s.at(blockIdx.x, i)], weight<Op>(w, i)));
    }
    const float2 factors = Op::factors(reduce_row<Op, threads>(partial), s.columns);
    for (unsigned i = threadIdx.x; i < s.width; i += threads) {
        const float x = a[s.at(blockIdx.x, i)];
        c[s.at(blockIdx.x, i)] = Op::result(x, weight<Op>(w, i), factors);
    }
}
//! [two_passes]
