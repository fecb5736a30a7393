// Rows that are read again by 16-byte loads, with hints that keep them in the caches until then.
#pragma once

#include "load_hinted.cuh"
#include "reduce_row.cuh"

// T threads have a row, and no thread keeps what it has read.
template<class Op, unsigned T>
__global__ void __launch_bounds__(T)
    read_again(const bf16* a, const bf16* w, typename Op::Out* c, float* scales, RowShape s)
{
    const auto* eights = reinterpret_cast<const uint4*>(&a[s.at(blockIdx.x, 0)]);
    float2 all = Op::identity();
    for (unsigned i = threadIdx.x; i < s.width / 8; i += T) {
        all = Op::combine8(all, unpack8(load_hinted<false>(&eights[i])), weights<Op>(w, i));
    }
    const float2 factors = Op::factors(reduce_row<Op, T>(all), s.columns);
    if (sizeof(typename Op::Out) == 1 && threadIdx.x == 0) {
        scales[blockIdx.x] = factors.y;
    }
    for (unsigned i = threadIdx.x; i < s.width / 8; i += T) {
        store_results<Op>(&c[s.at(blockIdx.x, 8 * i)], unpack8(load_hinted<true>(&eights[i])),
                          weights<Op>(w, i), factors);
    }
}
