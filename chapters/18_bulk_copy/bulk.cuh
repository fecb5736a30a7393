// The bulk copy engine of chapter 18: tiles that one thread orders, and that come through shared
// memory without a register.
#pragma once

#include "common/chapter.hpp"

__device__ float4 add4(float4 x, float4 y)
{
    return make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
}

#ifdef __CUDACC__ // the CPU device has no bulk copy engine: its rows say "GPU only"
#include <cuda/ptx>

//! [bulk]
namespace ptx = cuda::ptx;

// A block owns a tile of `tile` float4s of each array. Thread 0 orders it with one instruction an
// array; a barrier in shared memory counts the bytes that arrive. Returns how many float4s the tile
// of this block has: the last one is shorter.
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
    __syncthreads(); // the barrier is initialised
    while (!ptx::mbarrier_try_wait_parity(barrier, 0)) {
    }
#endif
    return count;
}

// One float4 a thread: the tile has as many as the block has threads.
__global__ void add_bulk(const float* a, const float* b, float* c, std::size_t n)
{
    extern __shared__ __align__(128) float4 tiles[];
    __shared__ std::uint64_t barrier;
    const unsigned tile = blockDim.x;
    const std::size_t vectors = n / 4;
    const unsigned count = fetch_tiles<2>(
        tiles, {reinterpret_cast<const float4*>(a), reinterpret_cast<const float4*>(b)}, vectors,
        tile, &barrier);
    if (threadIdx.x < count) {
        float4* out = reinterpret_cast<float4*>(c) + std::size_t{blockIdx.x} * tile;
        __stcs(out + threadIdx.x, add4(tiles[threadIdx.x], tiles[tile + threadIdx.x]));
    }
    const std::size_t k = 4 * vectors + threadIdx.x;
    if (blockIdx.x == 0 && k < n) {
        c[k] = a[k] + b[k];
    }
}

// Units of any size are bytes to a copy; only the few behind the last 16 bytes are moved as units.
template<class Unit>
__global__ void copy_bulk(const Unit* a, Unit* c, std::size_t n, unsigned tile)
{
    extern __shared__ __align__(128) float4 tiles[];
    __shared__ std::uint64_t barrier;
    constexpr std::size_t units = sizeof(float4) / sizeof(Unit);
    const std::size_t vectors = n / units;
    const unsigned count =
        fetch_tiles<1>(tiles, {reinterpret_cast<const float4*>(a)}, vectors, tile, &barrier);
    float4* out = reinterpret_cast<float4*>(c) + std::size_t{blockIdx.x} * tile;
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x) {
        out[i] = tiles[i];
    }
    const std::size_t k = units * vectors + threadIdx.x;
    if (blockIdx.x == 0 && k < n) {
        c[k] = a[k];
    }
}
//! [bulk]
#else
__global__ void add_bulk(const float*, const float*, float*, std::size_t) {}
__global__ void copy_bulk(const void*, void*, std::size_t, unsigned) {}
#endif
