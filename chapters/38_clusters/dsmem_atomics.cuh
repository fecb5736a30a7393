// Blocks of a cluster that add to each other's shared memory (DSMEM) by atomics.
#pragma once

#include "partitioned.cuh"

#include <cooperative_groups.h>

#ifdef __CUDACC__ // the CPU device has no clusters: these rows say "GPU only"
//! [dsmem_atomics]
// Blocks of a cluster read different elements. Each value is counted by an atomic in the shared
// memory of the block whose partition contains it. Dynamic shared memory: `partition` counters per
// block, a power of two. Launch: clusters of 2^(32 - shift) / partition blocks.
__global__ void __launch_bounds__(threads)
    dsmem_atomics(const unsigned* a, unsigned* c, std::size_t n, unsigned shift, unsigned partition)
{
#if __CUDA_ARCH__ >= 900
    extern __shared__ unsigned counters[];
    const auto cluster = cooperative_groups::this_cluster();
    clear(counters, partition);
    cluster.sync(); // no block adds before all have cleared
    const std::size_t i = std::size_t{blockIdx.x} * threads + threadIdx.x;
    const unsigned bits = __ffs(partition) - 1; // partition is 2^bits
    each_value(a, n, shift, i, std::size_t{gridDim.x} * threads, [&](unsigned x) {
        unsigned* remote = cluster.map_shared_rank(counters, x >> bits);
        atomicAdd(&remote[x & (partition - 1)], 1);
    });
    cluster.sync(); // no block exits before all have added
    add_to(c + cluster.block_rank() * partition, counters, partition);
#endif
}
//! [dsmem_atomics]
#else
__global__ void dsmem_atomics(const unsigned*, unsigned*, std::size_t, unsigned, unsigned) {}
#endif
