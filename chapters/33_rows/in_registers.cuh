// A kernel that reads each row once and keeps it in the registers of a block or of a warp.
#pragma once

// From chapter 27: load<hint>(p), which returns *p, loaded with a cache hint.
#include "../27_cache_hints/hints.cuh"
#include "in_shared.cuh"

//! [in_registers]
// Keeps a row in the registers of `threads_per_row` threads, a power of two of 32 or more: `loads`
// times 16 bytes per thread, all in flight at once. With 32 threads per row a block has
// vector_threads / 32 rows and needs no barrier. `scales` gets a scale per row if results have 8
// bits. `hint` is that of the row's loads. Launch: enough blocks of
// max(threads_per_row, vector_threads) threads for s.rows rows.
template<class Op, unsigned threads_per_row, unsigned loads, Hint hint>
__global__ void __launch_bounds__(threads_per_row < vector_threads ? vector_threads
                                                                   : threads_per_row)
    in_registers(const bf16* a, const bf16* w, typename Op::Out* c, float* scales, RowShape s)
{
    const unsigned row =
        blockIdx.x * (blockDim.x / threads_per_row) + threadIdx.x / threads_per_row;
    const unsigned first = threadIdx.x % threads_per_row; // this thread's first vector
    if (row >= s.rows) {
        return;
    }
    uint4 x[loads];
    const auto* vectors = reinterpret_cast<const uint4*>(&a[s.at(row, 0)]);
#pragma unroll
    for (unsigned k = 0; k < loads; ++k) {
        if (const unsigned i = first + k * threads_per_row; i < s.width / 8) {
            x[k] = load<hint>(&vectors[i]);
        }
    }
    float2 partial = Op::identity();
#pragma unroll
    for (unsigned k = 0; k < loads; ++k) {
        if (const unsigned i = first + k * threads_per_row; i < s.width / 8) {
            partial = Op::combine8(partial, unpack_bf16x8(x[k]), weights<Op>(w, i));
        }
    }
    const float2 factors = Op::factors(reduce_row<Op, threads_per_row>(partial), s.columns);
    if (sizeof(typename Op::Out) == 1 && first == 0) {
        scales[row] = factors.y;
    }
#pragma unroll
    for (unsigned k = 0; k < loads; ++k) {
        if (const unsigned i = first + k * threads_per_row; i < s.width / 8) {
            store_results<Op>(&c[s.at(row, 8 * i)], unpack_bf16x8(x[k]), weights<Op>(w, i),
                              factors);
        }
    }
}
//! [in_registers]
