// Tiles that the TMA prefetches for all blocks of a cluster. Needs compute capability 9.0; for
// others, nothing is declared.
#pragma once

#include "common/chapter.hpp"

#if __CUDA_ARCH__ >= 900
#include <cooperative_groups.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

//! [multicast]
// Copies `bytes` bytes to the same shared-memory offset in each of the first `blocks` blocks of a
// cluster, and completes them on the mbarrier at the same offset in each. (cuda::ptx has this for
// sm_90a alone.)
__device__ inline void multicast(uint4* to, const uint4* from, unsigned bytes,
                                 std::uint64_t* barrier, unsigned blocks)
{
    const auto destination = static_cast<unsigned>(__cvta_generic_to_shared(to));
    const auto mbarrier = static_cast<unsigned>(__cvta_generic_to_shared(barrier));
    const auto block_mask = static_cast<unsigned short>((1U << blocks) - 1);
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
                 ".multicast::cluster [%0], [%1], %2, [%3], %4;" ::"r"(destination),
                 "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(mbarrier), "h"(block_mask)
                 : "memory");
}
//! [multicast]

// A TMA pipeline over the 16-byte vectors of n words, in which all blocks of a cluster read the
// same tiles. Each block has `consumers` consumer threads and a producer warp. With `use_multicast`
// each block loads a part of every tile and multicasts it to the cluster; otherwise each block
// loads the whole tile for itself.
template<unsigned stages, unsigned tile, unsigned consumers, bool use_multicast>
class ClusterTiles
{
  public:
    // Initializes the mbarriers; all threads of the cluster must call it. `slots` is shared memory
    // for `stages` tiles, `barriers` for 2 * stages mbarriers.
    __device__ ClusterTiles(const unsigned* a, std::size_t n, uint4* slots, std::uint64_t* barriers)
        : a_(reinterpret_cast<const uint4*>(a)), n_(n / 4), slots_(slots), full_(barriers),
          empty_(barriers + stages)
    {
        if (threadIdx.x == 0) {
            for (unsigned stage = 0; stage < stages; ++stage) {
                ptx::mbarrier_init(&full_[stage], 1);
                ptx::mbarrier_init(&empty_[stage], (use_multicast ? blocks_ : 1) * consumers / 32);
            }
            ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        }
        cluster_.sync();
    }

    // Issues the copies of all tiles; called by one thread of each block.
    __device__ void produce() const
    {
        const unsigned part = use_multicast ? tile / blocks_ : tile;
        const unsigned from = use_multicast ? rank_ * part : 0;
        for_each_tile([&](std::size_t first, unsigned count, unsigned stage, unsigned parity,
                          bool reused) {
            while (reused && !ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster,
                                                            &empty_[stage], parity ^ 1)) {
            }
            std::uint64_t* full = &full_[stage];
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared,
                                           full, count * unsigned{sizeof(uint4)});
            if (from < count) {
                uint4* to = &slots_[stage * tile + from];
                const unsigned size = min(count - from, part) * unsigned{sizeof(uint4)};
                if constexpr (use_multicast) {
                    multicast(to, a_ + first + from, size, full, blocks_);
                } else {
                    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, to, a_ + first, size,
                                       full);
                }
            }
        });
    }

    // Calls consume(vector) for the vectors of consumer threadIdx.x; called by whole warps.
    template<class Consume>
    __device__ void consume(Consume consume) const
    {
        for_each_tile([&](std::size_t, unsigned count, unsigned stage, unsigned parity, bool) {
            while (!ptx::mbarrier_try_wait_parity(&full_[stage], parity)) {
            }
            for (unsigned i = threadIdx.x; i < count; i += consumers) {
                consume(slots_[stage * tile + i]);
            }
            __syncwarp();
            const unsigned lane = threadIdx.x % 32;
            if (use_multicast && lane < blocks_) { // lane k arrives at block k's mbarrier
                ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, ptx::space_cluster,
                                     cluster_.map_shared_rank(&empty_[stage], lane));
            } else if (!use_multicast && lane == 0) {
                ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cta, ptx::space_shared,
                                     &empty_[stage]);
            }
        });
    }

  private:
    // Calls with_tile(first vector, vectors, stage, parity of the stage's phase, whether the stage
    // is reused) for each tile of the cluster.
    template<class WithTile>
    __device__ void for_each_tile(WithTile with_tile) const
    {
        const std::size_t step = std::size_t{gridDim.x / blocks_} * tile;
        unsigned k = 0;
        for (std::size_t i = std::size_t{blockIdx.x / blocks_} * tile; i < n_; i += step, ++k) {
            with_tile(i, n_ - i < tile ? static_cast<unsigned>(n_ - i) : tile, k % stages,
                      k / stages % 2, k >= stages);
        }
    }

    cooperative_groups::cluster_group cluster_ = cooperative_groups::this_cluster();
    unsigned blocks_ = cluster_.num_blocks();
    unsigned rank_ = cluster_.block_rank();
    const uint4* a_;
    std::size_t n_;
    uint4* slots_;
    std::uint64_t* full_;
    std::uint64_t* empty_;
};

#endif
