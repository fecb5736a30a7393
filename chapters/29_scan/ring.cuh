// A scan by a persistent grid, whose tiles the TMA prefetches.
#pragma once

#include "tile_ring.cuh"

#ifdef __CUDACC__ // the CPU device has no TMA: the rows say "GPU only"
//! [ring]
template<unsigned vectors>
struct TileVectors
{
    uint4 v[vectors];
};

// c = inclusive prefix sums of the n words whose tiles are in a ring. `states` has a word per tile.
template<bool publish_early, unsigned vectors, class Ring>
__device__ void scan_ring(Ring& tiles, unsigned* c, std::size_t n, unsigned long long* states)
{
    __shared__ unsigned warp_sums[32], wave_sums[32];
    process_tiles<publish_early, TileVectors<vectors>>(
        tiles, n, 0, states, wave_sums,
        [](TileVectors<vectors>& registers, const uint4* slot) {
            for (unsigned k = 0; k < vectors; ++k) {
                registers.v[k] = slot[first_vector<vectors>() + 32 * k];
            }
            return scan_tile(registers.v, warp_sums);
        },
        [&](const TileVectors<vectors>& registers, unsigned exclusive_prefix, unsigned tile) {
            store_tile(registers.v, exclusive_prefix, c, n, tile);
        });
}

// Each block has every gridDim.x-th tile. Launch: at most as many blocks as are resident, with
// `stages` tiles of shared memory; `states` are 0 at first.
template<unsigned threads, unsigned vectors, unsigned stages, bool publish_early, Hint hint>
__global__ void __launch_bounds__(threads, 1)
    ring(const unsigned* a, unsigned* c, std::size_t n, unsigned long long* states)
{
    extern __shared__ __align__(128) uint4 slots[];
    __shared__ std::uint64_t barriers[stages];
    TileRing<4 * threads * vectors, stages, hint> tiles(a, n, slots, barriers);
    scan_ring<publish_early, vectors>(tiles, c, n, states);
}
//! [ring]
#else
template<unsigned threads, unsigned vectors, unsigned stages, bool publish_early, Hint hint>
__global__ void ring(const unsigned*, unsigned*, std::size_t, unsigned long long*)
{}
#endif
