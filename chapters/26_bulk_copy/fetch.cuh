// A tile that the TMA copies to shared memory.
#pragma once

#include "common/chapter.hpp"

#ifdef __CUDACC__ // the CPU device has no TMA: its rows say "GPU only"
#include <cuda/ptx>

//! [fetch]
namespace ptx = cuda::ptx;

// Copies this block's tile of each array to shared memory: thread 0 issues one instruction per
// array, and a barrier in shared memory counts the bytes that arrive. Returns the number of float4s
// in the tile: `tile`, or fewer in the last block.
template<unsigned arrays>
__device__ unsigned fetch_tiles(float4* tiles, const float4* const (&source)[arrays],
                                std::size_t vectors, unsigned tile, std::uint64_t* barrier)
{
    const std::size_t start = std::size_t{blockIdx.x} * tile;
    const std::size_t left = vectors - start;
    const unsigned count = left < tile ? static_cast<unsigned>(left) : tile;
#if __CUDA_ARCH__ >= 900
    if (threadIdx.x == 0) {
        const unsigned bytes = count * static_cast<unsigned>(sizeof(float4));
        ptx::mbarrier_init(barrier, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, barrier,
                                       arrays * bytes);
        for (unsigned k = 0; k < arrays && bytes != 0; ++k) {
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tiles + k * tile,
                               source[k] + start, bytes, barrier);
        }
    }
    __syncthreads(); // the barrier is initialized
    while (!ptx::mbarrier_try_wait_parity(barrier, 0)) {
    }
#endif
    return count;
}
//! [fetch]

#endif
