// Blocks of a cluster that add to each other's shared memory.
#pragma once

#include "partitioned.cuh"

#include <cooperative_groups.h>

#ifdef __CUDACC__ // the CPU device has no clusters: these rows say "GPU only"
//! [dsmem_atomics]
// Blocks of a cluster read different elements, and add to the counters of the block that has them.
__global__ void __launch_bounds__(threads)
    dsmem_atomics(const unsigned* a, unsigned* c, std::size_t n, unsigned down, unsigned share)
{
#if __CUDA_ARCH__ >= 900
    extern __shared__ unsigned own[];
    const auto cluster = cooperative_groups::this_cluster();
    clear(own, share);
    cluster.sync(); // nobody adds before all have cleared
    const std::size_t i = std::size_t{blockIdx.x} * threads + threadIdx.x;
    const unsigned bits = __ffs(share) - 1; // share is 2^bits
    each_value(a, n, down, i, std::size_t{gridDim.x} * threads, [&](unsigned x) {
        unsigned* theirs = cluster.map_shared_rank(own, x >> bits);
        atomicAdd(&theirs[x & (share - 1)], 1);
    });
    cluster.sync(); // nobody leaves before all have added
    add_to(c + cluster.block_rank() * share, own, share);
#endif
}
//! [dsmem_atomics]
#else
__global__ void dsmem_atomics(const unsigned*, unsigned*, std::size_t, unsigned, unsigned) {}
#endif
