// A scan by a persistent grid, whose tiles the bulk copy engine prefetches.
#pragma once

#include "tile_ring.cuh"

#ifdef __CUDACC__ // the CPU device has no bulk copy engine: the rows say "GPU only"
//! [ring]
template<unsigned vectors>
struct Fours
{
    uint4 v[vectors];
};

// A persistent grid: each block has every gridDim.x-th tile.
template<unsigned threads, unsigned vectors, unsigned stages, bool ahead>
__global__ void __launch_bounds__(threads, 1)
    ring(const unsigned* a, unsigned* c, std::size_t n, unsigned long long* states)
{
    extern __shared__ __align__(128) uint4 slots[];
    __shared__ std::uint64_t barriers[stages];
    __shared__ unsigned warps[32], sums[32];
    TileRing<4 * threads * vectors, stages> tiles(a, n, slots, barriers);
    process_tiles<ahead, Fours<vectors>>(
        tiles, n, 0, states, sums,
        [](Fours<vectors>& held, const uint4* stage) {
            for (unsigned k = 0; k < vectors; ++k) {
                held.v[k] = stage[first_four<vectors>() + 32 * k];
            }
            return scan_tile(held.v, warps);
        },
        [&](const Fours<vectors>& held, unsigned before, unsigned tile) {
            store_tile(held.v, before, c, n, tile);
        });
}
//! [ring]
#else
template<unsigned threads, unsigned vectors, unsigned stages, bool ahead>
__global__ void ring(const unsigned*, unsigned*, std::size_t, unsigned long long*)
{}
#endif
