// A kernel that reads each row once and keeps it in shared memory.
#pragma once

#include "reduce_row.cuh"

//! [in_shared]
constexpr unsigned block = 128; // threads, in kernels with eight elements per load

// Keeps the row in shared memory until its factors are known.
template<class Op>
__global__ void __launch_bounds__(block)
    in_shared(const bf16* a, const bf16* w, bf16* c, RowShape s)
{
    extern __shared__ uint4 row[];
    const auto* eights = reinterpret_cast<const uint4*>(&a[s.at(blockIdx.x, 0)]);
    float2 all = Op::identity();
    for (unsigned i = threadIdx.x; i < s.width / 8; i += block) {
        const uint4 x = eights[i];
        row[i] = x;
        all = Op::combine8(all, unpack8(x), weights<Op>(w, i));
    }
    const float2 factors = Op::factors(reduce_row<Op, block>(all), s.columns);
    for (unsigned i = threadIdx.x; i < s.width / 8; i += block) {
        store_results<Op>(&c[s.at(blockIdx.x, 8 * i)], unpack8(row[i]), weights<Op>(w, i), factors);
    }
}
//! [in_shared]
