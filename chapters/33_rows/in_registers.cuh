// A kernel that reads each row once and keeps it in the registers of a block or of a warp.
#pragma once

#include "in_shared.cuh"

//! [in_registers]
// Keeps the row in the registers of T threads, `loads` times 16 bytes each, all in flight at once.
// A row of 32 threads needs no barrier. `once` hints that L1 should keep the weights, not the row.
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
