// A kernel that reads each row once, 16 bytes per load, and keeps it in shared memory.
#pragma once

#include "operations.cuh"

//! [in_shared]
constexpr unsigned vector_threads = 128; // per block, in kernels with 16-byte loads

// Keeps row blockIdx.x in shared memory until its factors are known. Each load has eight elements:
// unpack_bf16x8() converts them to floats, weights() returns their weights, combine8() adds them to
// a partial result, and store_results() computes and stores their results. Launch: s.rows blocks of
// `vector_threads` threads, with s.width bf16 of dynamic shared memory.
template<class Op>
__global__ void __launch_bounds__(vector_threads)
    in_shared(const bf16* a, const bf16* w, bf16* c, RowShape s)
{
    extern __shared__ uint4 row[];
    const auto* vectors = reinterpret_cast<const uint4*>(&a[s.at(blockIdx.x, 0)]);
    float2 partial = Op::identity();
    for (unsigned i = threadIdx.x; i < s.width / 8; i += vector_threads) {
        const uint4 x = vectors[i];
        row[i] = x;
        partial = Op::combine8(partial, unpack_bf16x8(x), weights<Op>(w, i));
    }
    const float2 factors = Op::factors(reduce_row<Op, vector_threads>(partial), s.columns);
    for (unsigned i = threadIdx.x; i < s.width / 8; i += vector_threads) {
        store_results<Op>(&c[s.at(blockIdx.x, 8 * i)], unpack_bf16x8(row[i]), weights<Op>(w, i),
                          factors);
    }
}
//! [in_shared]
