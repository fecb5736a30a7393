// Tiles of words that the TMA prefetches into a ring of shared-memory slots, and the loop over
// them. Needs compute capability 9.0 and nvcc.
#pragma once

// From chapter 27: bulk_load<hint>(), a bulk copy to shared memory with a hint for L2.
#include "../27_cache_hints/hints.cuh"
#include "tile_states.cuh"

//! [sum_previous_wave]
// Returns to all threads of a block the sum of the gridDim.x - 1 tiles before a tile, those of the
// other blocks: each thread waits for the states of one of them, or a few. `warp_sums` is that of
// scan_warp_sums().
__device__ inline unsigned sum_previous_wave(const unsigned long long* states, unsigned tile,
                                             unsigned* warp_sums)
{
    unsigned sum = 0;
    for (unsigned distance = threadIdx.x; distance < gridDim.x - 1 && distance < tile;
         distance += blockDim.x) {
        sum += static_cast<unsigned>(wait_for(&states[tile - 1 - distance]));
    }
    return scan_warp_sums(sum_warp(sum), warp_sums).y;
}
//! [sum_previous_wave]

#ifdef __CUDACC__
#include <cuda/ptx>

namespace ptx = cuda::ptx;

// The tiles blockIdx.x, blockIdx.x + gridDim.x and so on of an array of n words, one after another.
// `stages` of them are in shared memory or in flight. A tile has `words` words, a multiple of 4; it
// is loaded with that hint for L2.
template<unsigned words, unsigned stages, Hint hint = Hint::none>
class TileRing
{
  public:
    // Issues the copies of the first tiles. `slots` is shared memory of stages * words words,
    // `barriers` of one mbarrier per stage. Contains a barrier.
    __device__ TileRing(const unsigned* a, std::size_t n, uint4* slots, std::uint64_t* barriers)
        : a_(a), n_(n), slots_(slots), barriers_(barriers)
    {
        if (threadIdx.x == 0) {
#if __CUDA_ARCH__ >= 900
            for (unsigned stage = 0; stage < stages; ++stage) {
                ptx::mbarrier_init(&barriers_[stage], 1);
            }
            ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
#endif
            for (unsigned stage = 0; stage < stages; ++stage) {
                fetch(blockIdx.x + stage * gridDim.x, stage);
            }
        }
        __syncthreads();
    }

    // Waits for the block's next tile, number `tile`, and returns its slot, which has `padding`
    // past the end of the array.
    __device__ const uint4* wait(unsigned tile, unsigned padding)
    {
        uint4* slot = slots_ + stage_ * (words / 4);
#if __CUDA_ARCH__ >= 900
        while (!ptx::mbarrier_try_wait_parity(&barriers_[stage_], parity_)) {
        }
#endif
        const std::size_t left = n_ - std::size_t{tile} * words;
        if (left < words) { // the TMA copies multiples of 16 bytes
            auto* word = reinterpret_cast<unsigned*>(slot);
            for (unsigned i = static_cast<unsigned>(left) / 4 * 4 + threadIdx.x; i < words;
                 i += blockDim.x) {
                word[i] = i < left ? a_[std::size_t{tile} * words + i] : padding;
            }
            __syncthreads();
        }
        return slot;
    }

    // Issues the copy of a later tile to the slot of this one, which no thread may read any more.
    __device__ void release(unsigned tile)
    {
        if (threadIdx.x == 0) {
            fetch(tile + stages * gridDim.x, stage_);
        }
        stage_ = (stage_ + 1) % stages;
        parity_ ^= stage_ == 0 ? 1 : 0;
    }

  private:
    // Issues one bulk copy, whose mbarrier counts the bytes that arrive.
    __device__ void fetch(unsigned tile, unsigned stage)
    {
        const std::size_t start = std::size_t{tile} * words;
        if (start >= n_) {
            return;
        }
#if __CUDA_ARCH__ >= 900
        const std::size_t left = n_ - start < words ? n_ - start : words;
        const unsigned bytes = static_cast<unsigned>(left) / 4 * 16;
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared,
                                       &barriers_[stage], bytes);
        if (bytes > 0) {
            bulk_load<hint>(slots_ + stage * (words / 4), a_ + start, bytes, &barriers_[stage]);
        }
#endif
    }

    const unsigned* a_;
    std::size_t n_;
    uint4* slots_;
    std::uint64_t* barriers_;
    unsigned stage_ = 0;  // of the next tile
    unsigned parity_ = 0; // of the ring's current round
};

//! [process_tiles]
// Processes the tiles of a block of a persistent grid, of n words in all. load(registers, slot)
// loads a tile from a slot into the block's `TileRegisters`, has a barrier after that, and returns
// the sum of the tile, which is published at once. store(registers, exclusive_prefix, tile) stores
// the results, which depend on the sum of all tiles before. With `publish_early`, a tile is stored
// after the sum of the block's next tile is published, too: then no block waits for this one while
// this one waits for others.
//
// `states` are Flag::invalid at first; `padding` is that of TileRing::wait(), and `warp_sums` that
// of scan_warp_sums(), which load() may call with 32 other words.
template<bool publish_early, class TileRegisters, unsigned words, unsigned stages, Hint hint,
         class Load, class Store>
__device__ void process_tiles(TileRing<words, stages, hint>& tiles, std::size_t n, unsigned padding,
                              unsigned long long* states, unsigned* warp_sums, Load load,
                              Store store)
{
    TileRegisters deferred{};
    unsigned deferred_sum = 0;
    unsigned exclusive_prefix = 0; // sum of all tiles up to this block's last one
    const auto finish = [&](const TileRegisters& registers, unsigned sum, unsigned tile) {
        exclusive_prefix += sum_previous_wave(states, tile, warp_sums);
        store(registers, exclusive_prefix, tile);
        exclusive_prefix += sum;
    };
    unsigned tile = blockIdx.x;
    for (; std::size_t{tile} * words < n; tile += gridDim.x) {
        TileRegisters next;
        const unsigned sum = load(next, tiles.wait(tile, padding));
        tiles.release(tile);
        if (threadIdx.x == 0) {
            publish(&states[tile], Flag::aggregate, sum);
        }
        if (!publish_early) {
            finish(next, sum, tile);
        } else if (tile != blockIdx.x) {
            finish(deferred, deferred_sum, tile - gridDim.x);
        } else {
            __syncthreads(); // as in sum_previous_wave(): load() may reuse shared memory
        }
        deferred = next;
        deferred_sum = sum;
    }
    if (publish_early) {
        __syncthreads(); // no thread reads `warp_sums` any more
        finish(deferred, deferred_sum, tile - gridDim.x);
    }
}
//! [process_tiles]
#endif
