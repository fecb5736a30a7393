// Persistent blocks that need no atomic on the result, and no memset before the launch.
#pragma once

#include "grid_stride.cuh"

//! [last_block]
// The last block to finish combines the partial results of all blocks. `partials` has a value per
// block; *blocks_done is 0 before the first launch, and again after each launch.
template<class Op, unsigned loads>
__global__ void __launch_bounds__(persistent_threads, blocks_per_sm<Op>)
    last_block(const typename Op::Element* a, typename Op::Value* c, std::size_t n,
               typename Op::Value* partials, unsigned* blocks_done)
{
    __shared__ bool is_last_block;
    auto x = reduce_block<Op>(reduce_thread<Op, loads>(a, n));
    if (threadIdx.x == 0) {
        partials[blockIdx.x] = x;
        __threadfence(); // makes the partial result visible before its count
        is_last_block = atomicInc(blocks_done, gridDim.x - 1) == gridDim.x - 1; // wraps to 0
    }
    __syncthreads();
    if (!is_last_block) {
        return;
    }
    __threadfence();
    x = 0;
    for (unsigned k = threadIdx.x; k < gridDim.x; k += persistent_threads) {
        x = Op::combine(x, __ldcg(&partials[k])); // from L2: L1 may be stale
    }
    x = reduce_block<Op>(x);
    if (threadIdx.x == 0) {
        *c = x;
    }
}
//! [last_block]
