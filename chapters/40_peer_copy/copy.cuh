// A copy by threads, and one by the bulk copy engine: neither knows on which device its arrays are.
#pragma once

#include "common/chapter.hpp"

//! [copy]
// The copy of chapter 06, with `loads` 16-byte loads in flight per thread. Launched on the output's
// device, it reads the other GPU's memory; launched on the input's device, it writes there.
template<unsigned loads>
__global__ void copy(const float* a, float* c, std::size_t n)
{
    const float4* from = reinterpret_cast<const float4*>(a);
    float4* to = reinterpret_cast<float4*>(c);
    const std::size_t vectors = n / 4;
    const std::size_t first = std::size_t{blockIdx.x} * blockDim.x * loads + threadIdx.x;
    float4 x[loads] = {};
    for (unsigned k = 0; k < loads; ++k) {
        if (const std::size_t i = first + k * blockDim.x; i < vectors) {
            x[k] = from[i];
        }
    }
    for (unsigned k = 0; k < loads; ++k) {
        if (const std::size_t i = first + k * blockDim.x; i < vectors) {
            to[i] = x[k];
        }
    }
    if (const std::size_t i = 4 * vectors + first; i < n) {
        c[i] = a[i];
    }
}
//! [copy]

#ifdef __CUDACC__ // the CPU device has no bulk copy engine: its rows say "GPU only"
#include <cuda/ptx>

//! [bulk]
namespace ptx = cuda::ptx;

// Bulk copies of chapter 26 in both directions: one thread per block issues the load of a tile,
// waits for it, and issues its store. The other threads have no work.
__global__ void copy_bulk(const float* a, float* c, std::size_t n)
{
#if __CUDA_ARCH__ >= 900
    extern __shared__ __align__(128) float4 tile[];
    __shared__ std::uint64_t barrier;
    constexpr unsigned length = 1024; // float4s: 16 KiB
    const std::size_t vectors = n / 4;
    const std::size_t start = std::size_t{blockIdx.x} * length;
    if (threadIdx.x == 0 && start < vectors) {
        const std::size_t left = vectors - start;
        const auto bytes = static_cast<unsigned>((left < length ? left : length) * sizeof(float4));
        ptx::mbarrier_init(&barrier, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared,
                                       &barrier, bytes);
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile,
                           reinterpret_cast<const float4*>(a) + start, bytes, &barrier);
        while (!ptx::mbarrier_try_wait_parity(&barrier, 0)) {
        }
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared,
                           reinterpret_cast<float4*>(c) + start, tile, bytes);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>{}); // shared memory is freed at the block's end
    }
    if (const std::size_t i = 4 * vectors + threadIdx.x; blockIdx.x == 0 && i < n) {
        c[i] = a[i];
    }
#endif
}
//! [bulk]
#else
__global__ void copy_bulk(const float*, float*, std::size_t) {}
#endif
