// Blocks of a cluster that read the same tiles through the TMA, each for its own partition.
#pragma once

#include "cluster_tiles.cuh"
#include "partitioned.cuh"

constexpr unsigned consumers = threads - 32; // the last warp is the producer
constexpr unsigned tile = consumers;         // vectors of 16 bytes: 15.5 KiB
constexpr unsigned stages = 4;               // tiles in shared memory or in flight

#ifdef __CUDACC__ // the CPU device has no clusters: these rows say "GPU only"
//! [tiles]
// Blocks of a cluster read the same elements, and each block counts the values of its partition.
// Dynamic shared memory: `stages` tiles, then `partition` counters. Launch: clusters of
// 2^(32 - shift) / partition blocks.
template<bool use_multicast>
__global__ void __launch_bounds__(threads)
    tiles(const unsigned* a, unsigned* c, std::size_t n, unsigned shift, unsigned partition)
{
#if __CUDA_ARCH__ >= 900
    extern __shared__ __align__(128) uint4 slots[];
    __shared__ std::uint64_t barriers[2 * stages];
    auto* counters = reinterpret_cast<unsigned*>(slots + stages * tile);
    clear(counters, partition);
    const ClusterTiles<stages, tile, consumers, use_multicast> cluster_tiles(a, n, slots, barriers);
    const auto cluster = cooperative_groups::this_cluster();
    const unsigned first = cluster.block_rank() * partition;
    const auto count = [&](unsigned value) {
        if (value - first < partition) {
            atomicAdd(&counters[value - first], 1);
        }
    };
    if (threadIdx.x < consumers) {
        cluster_tiles.consume([&](uint4 v) {
            count(v.x >> shift);
            count(v.y >> shift);
            count(v.z >> shift);
            count(v.w >> shift);
        });
    } else if (threadIdx.x == consumers) {
        cluster_tiles.produce();
    }
    if (blockIdx.x < cluster.num_blocks() && threadIdx.x < n % 4) { // the last words
        count(a[n / 4 * 4 + threadIdx.x] >> shift);
    }
    __syncthreads();
    cluster.sync(); // no block exits while others arrive at its mbarriers
    add_to(c + first, counters, partition);
#endif
}
//! [tiles]
#else
template<bool use_multicast>
__global__ void tiles(const unsigned*, unsigned*, std::size_t, unsigned, unsigned)
{}
#endif
