// Rows that are read once, and kept in the registers of a block or of a warp.
#pragma once

#include "in_shared.cuh"

//! [in_registers]
// T threads share a row, and each keeps its part, `loads` times 16 bytes that are in flight at
// once; 32 threads wait for no other warp. `once`: the L1 had better keep the weights than the row.
template<class Op, unsigned T, unsigned loads, bool once>
__global__ void __launch_bounds__(T < block ? block : T)
    in_registers(const bf16* a, const bf16* w, typename Op::Out* c, float* scales, RowShape s)
{
    const unsigned row = blockIdx.x * (blockDim.x / T) + threadIdx.x / T;
    const unsigned first = threadIdx.x % T;
    if (row >= s.rows) {
        return;
    }
    uint4 x[loads];
    const auto* eights = reinterpret_cast<const uint4*>(&a[s.at(row, 0)]);
#pragma unroll
    for (unsigned k = 0; k < loads; ++k) {
        if (first + k * T < s.width / 8) {
            x[k] = once ? __ldcs(&eights[first + k * T]) : eights[first + k * T];
        }
    }
    float2 all = Op::identity();
#pragma unroll
    for (unsigned k = 0; k < loads; ++k) {
        if (const unsigned i = first + k * T; i < s.width / 8) {
            all = Op::combine8(all, unpack8(x[k]), weights<Op>(w, i));
        }
    }
    const float2 factors = Op::factors(reduce_row<Op, T>(all), s.columns);
    if (sizeof(typename Op::Out) == 1 && first == 0) {
        scales[row] = factors.y;
    }
#pragma unroll
    for (unsigned k = 0; k < loads; ++k) {
        if (const unsigned i = first + k * T; i < s.width / 8) {
            store_results<Op>(&c[s.at(row, 8 * i)], unpack8(x[k]), weights<Op>(w, i), factors);
        }
    }
}
//! [in_registers]
