// The same without an atomic on the result, and without a memset before it.
#pragma once

#include "grid_stride.cuh"

//! [last_block]
// The last block to finish combines the partial results of all: no memset, no atomic on the result.
template<class Op, unsigned loads>
__global__ void __launch_bounds__(block, resident<Op>)
    last_block(const typename Op::Element* a, typename Op::Value* c, std::size_t n,
               typename Op::Value* partials, unsigned* finished)
{
    __shared__ bool last;
    auto x = reduce_block<Op>(reduce_thread<Op, loads>(a, n));
    if (threadIdx.x == 0) {
        partials[blockIdx.x] = x;
        __threadfence(); // makes the partial result visible before its count
        last = atomicInc(finished, gridDim.x - 1) == gridDim.x - 1; // which leaves 0 behind
    }
    __syncthreads();
    if (!last) {
        return;
    }
    __threadfence();
    x = 0;
    for (unsigned k = threadIdx.x; k < gridDim.x; k += block) {
        x = Op::combine(x, __ldcg(&partials[k])); // from L2: L1 may be stale
    }
    x = reduce_block<Op>(x);
    if (threadIdx.x == 0) {
        *c = x;
    }
}
//! [last_block]
