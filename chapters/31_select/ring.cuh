// Words in their order, by a persistent grid whose tiles the TMA prefetches.
#pragma once

// From chapter 29: TileRing, the ring of tiles that the TMA prefetches, and process_tiles(), which
// loads each tile, publishes its sum, and stores its results once the sum of all tiles before is
// known.
#include "../29_scan/tile_ring.cuh"
#include "keep.cuh"

#ifdef __CUDACC__ // the CPU device has no TMA: the row says "GPU only"
//! [ring]
template<unsigned words>
struct TileWords
{
    unsigned x[words];
    uint2 kept; // how many words are kept in the warps before this one, and in the tile
};

// Writes the words to keep of the tiles that are in a ring, whose blocks have blockDim.x * `words`
// words each; *count is their number. `states` has a word per tile.
template<bool publish_early, unsigned words, class Ring>
__device__ void select_ring(Ring& tiles, unsigned* c, unsigned* count, std::size_t n,
                            unsigned tile_words, unsigned long long* states)
{
    __shared__ unsigned warp_sums[32], wave_sums[32];
    process_tiles<publish_early, TileWords<words>>(
        tiles, n, ~0U, states, wave_sums,
        [](TileWords<words>& registers, const uint4* slot) {
            load_words_from_slot(registers.x, slot);
            registers.kept = scan_warp_sums(count_kept(registers.x), warp_sums);
            return registers.kept.y;
        },
        [&](const TileWords<words>& registers, unsigned exclusive_prefix, unsigned tile) {
            write_kept(registers.x, c + exclusive_prefix + registers.kept.x);
            if (std::size_t{tile + 1} * tile_words >= n && threadIdx.x == 0) {
                *count = exclusive_prefix + registers.kept.y;
            }
        });
}

// The persistent grid of chapter 29, whose blocks publish the sum of a tile early. Launch: at most
// as many blocks as are resident, with `stages` tiles of shared memory; `states` are 0 at first.
template<unsigned threads, unsigned words, unsigned stages>
__global__ void __launch_bounds__(threads, 1)
    ring(const unsigned* a, unsigned* c, unsigned* count, std::size_t n, unsigned long long* states)
{
    extern __shared__ __align__(128) uint4 slots[];
    __shared__ std::uint64_t barriers[stages];
    TileRing<threads * words, stages> tiles(a, n, slots, barriers);
    select_ring<true, words>(tiles, c, count, n, threads * words, states);
}
//! [ring]
#else
template<unsigned threads, unsigned words, unsigned stages>
__global__ void ring(const unsigned*, unsigned*, unsigned*, std::size_t, unsigned long long*)
{}
#endif
