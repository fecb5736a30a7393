// Blocks of a cluster that share what they load.
#pragma once

#include "cluster_tiles.cuh"
#include "partitioned.cuh"

constexpr unsigned consumers = threads - 32; // one warp fetches tiles
constexpr unsigned tile = consumers;         // vectors of 16 bytes: 15.5 KiB
constexpr unsigned stages = 4;               // tiles in shared memory, or in flight there

#ifdef __CUDACC__ // the CPU device has no clusters: these rows say "GPU only"
//! [tiles]
// Blocks of a cluster read the same elements, and each counts those whose counters it has.
template<bool once>
__global__ void __launch_bounds__(threads)
    tiles(const unsigned* a, unsigned* c, std::size_t n, unsigned down, unsigned share)
{
#if __CUDA_ARCH__ >= 900
    extern __shared__ __align__(128) uint4 slots[];
    __shared__ std::uint64_t barriers[2 * stages];
    auto* own = reinterpret_cast<unsigned*>(slots + stages * tile);
    clear(own, share);
    const ClusterTiles<stages, tile, consumers, once> all(a, n, slots, barriers);
    const auto cluster = cooperative_groups::this_cluster();
    const unsigned first = cluster.block_rank() * share;
    const auto count = [&](unsigned value) {
        if (value - first < share) {
            atomicAdd(&own[value - first], 1);
        }
    };
    if (threadIdx.x < consumers) {
        all.take([&](uint4 v) {
            count(v.x >> down);
            count(v.y >> down);
            count(v.z >> down);
            count(v.w >> down);
        });
    } else if (threadIdx.x == consumers) {
        all.fetch();
    }
    if (blockIdx.x < cluster.num_blocks() && threadIdx.x < n % 4) { // what is not 16 bytes
        count(a[n / 4 * 4 + threadIdx.x] >> down);
    }
    __syncthreads();
    cluster.sync(); // nobody leaves while others tell it what they have taken
    add_to(c + first, own, share);
#endif
}
//! [tiles]
#else
template<bool once>
__global__ void tiles(const unsigned*, unsigned*, std::size_t, unsigned, unsigned)
{}
#endif
