// Prefetching by bulk copies (TMA) of whole tiles, which one producer thread issues for all.
#pragma once

#include "add4.cuh"

#ifdef __CUDACC__ // the CPU device has no TMA: these rows say "GPU only"
#include <cuda/ptx>
namespace ptx = cuda::ptx;

//! [ring]
// A ring of `stages` stages, each with a tile of `tile` float4s of either array. One thread of the
// last warp, the producer, issues the copies; the other warps, the consumers, add the two tiles. A
// stage is full when its bytes have arrived, and empty when the TMA has read the sum from it.
// Launch: persistent blocks, with 2 * stages * tile float4s of dynamic shared memory.
template<unsigned stages>
__global__ void ring(const float4* a, const float4* b, float4* c, std::size_t n, unsigned tile)
{
#if __CUDA_ARCH__ >= 900
    extern __shared__ __align__(128) float4 tiles[]; // per stage: one of a, one of b
    __shared__ std::uint64_t full[stages], empty[stages];
    const unsigned consumers = blockDim.x - 32;
    if (threadIdx.x == 0) {
        for (unsigned stage = 0; stage < stages; ++stage) {
            ptx::mbarrier_init(&full[stage], 1);
            ptx::mbarrier_init(&empty[stage], consumers);
        }
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    __syncthreads();
    unsigned k = 0; // this block's tiles so far
    for (std::size_t i = std::size_t{blockIdx.x} * tile; i < n / 4;
         i += std::size_t{gridDim.x} * tile, ++k) {
        const unsigned stage = k % stages, parity = k / stages % 2;
        const auto count = static_cast<unsigned>(n / 4 - i < tile ? n / 4 - i : tile);
        const unsigned bytes = count * static_cast<unsigned>(sizeof(float4));
        float4* x = &tiles[2 * stage * tile];
        if (threadIdx.x == consumers) {
            while (k >= stages && !ptx::mbarrier_try_wait_parity(&empty[stage], parity ^ 1)) {
            }
            std::uint64_t* barrier = &full[stage];
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared,
                                           barrier, 2 * bytes);
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, x, a + i, bytes, barrier);
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, x + tile, b + i, bytes,
                               barrier);
        } else if (threadIdx.x < consumers) {
            while (!ptx::mbarrier_try_wait_parity(&full[stage], parity)) {
            }
            for (unsigned j = threadIdx.x; j < count; j += consumers) {
                x[j] = add4(x[j], x[j + tile]);
            }
            ptx::fence_proxy_async(ptx::space_shared); // the TMA reads what threads have stored
            asm volatile("bar.sync 1, %0;" ::"r"(consumers) : "memory"); // all but the producer
            if (threadIdx.x == 0) {
                ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, c + i, x, bytes);
                ptx::cp_async_bulk_commit_group();
                // Waits until the TMA has read every sum but this one.
                ptx::cp_async_bulk_wait_group_read(ptx::n32_t<1>{});
            }
            // At most the store of this tile is unread, so the previous tile's stage is free.
            if (std::uint64_t* barrier = &empty[(k + stages - 1) % stages]; k > 0) {
                ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cta, ptx::space_shared, barrier);
            }
        } else {
            break;
        }
    }
    if (threadIdx.x == 0) {
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>{}); // before the shared memory is freed
    }
    add_last(a, b, c, n);
#endif
}
//! [ring]
#else
template<unsigned stages>
__global__ void ring(const float4*, const float4*, float4*, std::size_t, unsigned)
{}
#endif
