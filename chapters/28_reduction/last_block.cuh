// The same in one launch, without an atomic on the result and without a memset in front of it.
#pragma once

#include "grid_stride.cuh"

//! [last_block]
// The block that finishes last joins the partial results of all blocks: one launch, and no atomic
// on the result.
template<class Op, unsigned loads>
__global__ void __launch_bounds__(block, resident<Op>)
    last_block(const typename Op::Element* a, typename Op::Value* c, std::size_t n,
               typename Op::Value* partials, unsigned* finished)
{
    __shared__ bool last;
    auto x = reduce_block<Op>(reduce_thread<Op, loads>(a, n));
    if (threadIdx.x == 0) {
        partials[blockIdx.x] = x;
        __threadfence(); // the partial is there before it is counted
        last = atomicInc(finished, gridDim.x - 1) == gridDim.x - 1; // which leaves 0 behind
    }
    __syncthreads();
    if (!last) {
        return;
    }
    __threadfence();
    x = 0;
    for (unsigned k = threadIdx.x; k < gridDim.x; k += block) {
        x = Op::combine(x, __ldcg(&partials[k])); // from the L2, where the other blocks left them
    }
    x = reduce_block<Op>(x);
    if (threadIdx.x == 0) {
        *c = x;
    }
}
//! [last_block]
