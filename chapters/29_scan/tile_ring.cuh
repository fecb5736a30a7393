// Tiles of words that the bulk copy engine fetches, a few of them ahead of the block that reads
// them. It takes compute capability 9.0 and nvcc.
#pragma once

#include "tile_states.cuh"

//! [sum_previous_wave]
// Returns to all threads of a block the sum of the gridDim.x - 1 tiles before a tile, those of the
// other blocks: each thread waits for one of them, or a few. `warps` is that of before_warp().
__device__ inline unsigned sum_previous_wave(const unsigned long long* states, unsigned tile,
                                             unsigned* warps)
{
    unsigned sum = 0;
    for (unsigned back = threadIdx.x; back < gridDim.x - 1 && back < tile; back += blockDim.x) {
        sum += static_cast<unsigned>(wait_for(&states[tile - 1 - back]));
    }
    return before_warp(sum_warp(sum), warps).y;
}
//! [sum_previous_wave]

#ifdef __CUDACC__
#include <cuda/ptx>

namespace ptx = cuda::ptx;

// The tiles blockIdx.x, blockIdx.x + gridDim.x and so on of n words, one after the other, with
// `stages` of them in shared memory or in flight. A tile has `words` words, a multiple of
// 4.
template<unsigned words, unsigned stages>
class TileRing
{
  public:
    // Fetches the first tiles. `slots` is shared memory for stages * words words, `barriers` for
    // one mbarrier per stage. Contains a barrier.
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

    // Waits for the next tile, which is number `tile`, and returns its slot. Past the end of the
    // array the slot has `last`.
    __device__ const uint4* wait(unsigned tile, unsigned last)
    {
        uint4* stage = slots_ + stage_ * (words / 4);
#if __CUDA_ARCH__ >= 900
        while (!ptx::mbarrier_try_wait_parity(&barriers_[stage_], parity_)) {
        }
#endif
        const std::size_t left = n_ - std::size_t{tile} * words;
        if (left < words) { // the engine fetches multiples of 16 bytes
            auto* word = reinterpret_cast<unsigned*>(stage);
            for (unsigned i = static_cast<unsigned>(left) / 4 * 4 + threadIdx.x; i < words;
                 i += blockDim.x) {
                word[i] = i < left ? a_[std::size_t{tile} * words + i] : last;
            }
            __syncthreads();
        }
        return stage;
    }

    // Reuses the slot of that tile for one that comes later; no thread may read it any more.
    __device__ void release(unsigned tile)
    {
        if (threadIdx.x == 0) {
            fetch(tile + stages * gridDim.x, stage_);
        }
        stage_ = (stage_ + 1) % stages;
        parity_ ^= stage_ == 0 ? 1 : 0;
    }

  private:
    // One instruction fetches a tile, and the mbarrier counts the bytes that arrive.
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
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, slots_ + stage * (words / 4),
                               a_ + start, bytes, &barriers_[stage]);
        }
#endif
    }

    const unsigned* a_;
    std::size_t n_;
    uint4* slots_;
    std::uint64_t* barriers_;
    unsigned stage_ = 0;  // the next
    unsigned parity_ = 0; // parity of the rounds of the ring so far
};

//! [process_tiles]
// Scans the tiles of a block of a persistent grid, of n words in all. `TileRegisters` is what the
// block keeps of a tile in registers: `take(held, stage)` loads it from a slot, has a barrier after
// that, and returns the tile's sum, which is published at once. `finish(held, before, tile)` stores
// what depends on the sum of all tiles before it. With `ahead`, finishing a tile is deferred until
// the sum of the block's next tile is published, too: then no block has to wait for this one while
// it waits for others.
//
// Each of `states` is invalid at first; `last` is that of TileRing::wait(), and `warps` that of
// before_warp(), which `take` may call with 32 other words.
template<bool ahead, class TileRegisters, unsigned words, unsigned stages, class Take, class Finish>
__device__ void process_tiles(TileRing<words, stages>& tiles, std::size_t n, unsigned last,
                              unsigned long long* states, unsigned* warps, Take take, Finish finish)
{
    TileRegisters held{};
    unsigned held_sum = 0;
    unsigned before = 0; // sum of all tiles up to this block's last one
    const auto end = [&](const TileRegisters& what, unsigned sum, unsigned tile) {
        before += sum_previous_wave(states, tile, warps);
        finish(what, before, tile);
        before += sum;
    };
    unsigned tile = blockIdx.x;
    for (; std::size_t{tile} * words < n; tile += gridDim.x) {
        TileRegisters next;
        const unsigned sum = take(next, tiles.wait(tile, last));
        tiles.release(tile);
        if (threadIdx.x == 0) {
            publish(&states[tile], Flag::aggregate, sum);
        }
        if (!ahead) {
            end(next, sum, tile);
        } else if (tile != blockIdx.x) {
            end(held, held_sum, tile - gridDim.x);
        } else {
            __syncthreads(); // sum_previous_wave() has this barrier, too: `take` may reuse shared
                             // memory
        }
        held = next;
        held_sum = sum;
    }
    if (ahead) {
        __syncthreads(); // no thread reads `warps` any more
        end(held, held_sum, tile - gridDim.x);
    }
}
//! [process_tiles]
#endif
