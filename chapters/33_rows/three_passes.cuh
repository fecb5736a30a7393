// A softmax by its definition, with one block per row: three passes over the row, which is read
// from memory each time.
#pragma once

#include "reduce_row.cuh"

//! [three_passes]
constexpr unsigned threads = 256; // per block, in kernels with one block per row and 2-byte loads

// Computes the softmax of row blockIdx.x: the largest element, then the sum of e^(x - largest),
// then the results. Launch: s.rows blocks of `threads` threads.
__global__ void three_passes(const bf16* a, bf16* c, RowShape s)
{
    float2 partial = MaxAndSum::identity(); // x: this thread's largest element so far, y: its sum
    for (unsigned i = threadIdx.x; i < s.columns; i += threads) {
        partial.x = fmaxf(partial.x, a[s.at(blockIdx.x, i)]);
    }
    partial = reduce_row<MaxAndSum, threads>(partial);
    for (unsigned i = threadIdx.x; i < s.columns; i += threads) {
        partial.y += __expf(__bfloat162float(a[s.at(blockIdx.x, i)]) - partial.x);
    }
    __syncthreads(); // all have read what the first reduction left in shared memory
    partial = reduce_row<MaxAndSum, threads>(partial);
    const float scale = 1 / partial.y;
    for (unsigned i = threadIdx.x; i < s.width; i += threads) {
        const float x = a[s.at(blockIdx.x, i)];
        c[s.at(blockIdx.x, i)] = __expf(x - partial.x) * scale;
    }
}
//! [three_passes]
