// The same chase in shared memory.
#pragma once

#include "lines.cuh"

//! [chase_shared]
constexpr unsigned slots = 4096;

// Chases indices through words of shared memory. Launch: one block.
__global__ void chase_shared(unsigned* c, unsigned hops)
{
    __shared__ unsigned table[slots];
    for (unsigned i = threadIdx.x; i < slots; i += blockDim.x) {
        table[i] = next_line(i, slots, true);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned i = 0;
        for (unsigned hop = 0; hop < hops; ++hop) {
            i = table[i];
        }
        c[0] = i;
    }
}
//! [chase_shared]
