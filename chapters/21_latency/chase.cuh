// The pointer chase through the table.
#pragma once

#include "lines.cuh"

//! [chase]
// First the block reads `touched` lines, so that the caches hold them; then one thread chases. c[0]
// becomes the line that it reaches, c[1 + t] the XOR of the lines that thread t has read, so that
// the compiler keeps the loads. Launch: one block.
__global__ void chase(const Line* table, unsigned* c, unsigned touched, unsigned hops)
{
    unsigned x = 0;
    for (unsigned i = threadIdx.x; i < touched; i += blockDim.x) {
        x ^= static_cast<unsigned>(table[i].next - table);
    }
    c[1 + threadIdx.x] = x;
    __syncthreads();
    if (threadIdx.x == 0) {
        const Line* line = table;
        for (unsigned hop = 0; hop < hops; ++hop) {
            line = line->next;
        }
        c[0] = static_cast<unsigned>(line - table);
    }
}
//! [chase]
