// SiLU of one array times another: with 16 bytes per thread, and with tiles that the TMA copies.
#pragma once

// From chapter 26: fetch_tiles<2>(tiles, {a, b}, vectors, tile, barrier), which copies this block's
// tile of both arrays to shared memory by the TMA, waits for it, and returns its number of 16-byte
// vectors.
#include "../26_bulk_copy/fetch.cuh"
// From chapter 33: bf16_low(word) and bf16_high(word), the two bf16 values of a word as floats, and
// pack_bf16x2(), which rounds two floats and packs them into a word.
#include "../33_rows/float8.cuh"
// From chapter 27: load<hint>(p), which returns *p, loaded with a cache hint.
#include "../27_cache_hints/hints.cuh"
#include "flips.cuh"

//! [gates]
// Returns SiLU(x) y = x / (1 + e^-x) y. __fdividef() divides approximately, by a multiplication.
__device__ inline float silu_times(float x, float y)
{
    return __fdividef(x, 1 + __expf(-x)) * y;
}

// silu_times() for the two bf16 values of each word, or the eight of each vector.
__device__ inline unsigned gate_bf16x2(unsigned x, unsigned y)
{
    return pack_bf16x2(silu_times(bf16_low(x), bf16_low(y)),
                       silu_times(bf16_high(x), bf16_high(y)));
}
__device__ inline uint4 gate_bf16x8(uint4 x, uint4 y)
{
    return make_uint4(gate_bf16x2(x.x, y.x), gate_bf16x2(x.y, y.y), gate_bf16x2(x.z, y.z),
                      gate_bf16x2(x.w, y.w));
}

// Computes the elements after the last whole vector, fewer than eight.
__device__ inline void gate_tail(const bf16* a, const bf16* b, bf16* c, std::size_t n)
{
    const std::size_t i = n / 8 * 8 + threadIdx.x;
    if (blockIdx.x == 0 && i < n) {
        c[i] = narrow<bf16>(silu_times(widen(a[i]), widen(b[i])));
    }
}

// c = SiLU(a) b. Launch: one thread per eight elements.
template<Hint hint>
__global__ void gate_vectors(const bf16* a, const bf16* b, bf16* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n / 8) {
        reinterpret_cast<uint4*>(c)[i] =
            gate_bf16x8(load<hint>(reinterpret_cast<const uint4*>(a) + i),
                        load<hint>(reinterpret_cast<const uint4*>(b) + i));
    }
    gate_tail(a, b, c, n);
}
//! [gates]

#ifdef __CUDACC__ // the CPU device has no TMA: the row says "GPU only"
//! [gate_tiles]
// As gate_vectors, from tiles in shared memory, as in chapter 26. Launch: one thread per eight
// elements, with 32 bytes of dynamic shared memory per thread.
__global__ void gate_tiles(const bf16* a, const bf16* b, bf16* c, std::size_t n)
{
    extern __shared__ __align__(128) float4 tiles[];
    __shared__ std::uint64_t barrier;
    const unsigned count = fetch_tiles<2>(
        tiles, {reinterpret_cast<const float4*>(a), reinterpret_cast<const float4*>(b)}, n / 8,
        blockDim.x, &barrier);
    if (threadIdx.x < count) {
        const auto* words = reinterpret_cast<const uint4*>(tiles);
        reinterpret_cast<uint4*>(c)[std::size_t{blockIdx.x} * blockDim.x + threadIdx.x] =
            gate_bf16x8(words[threadIdx.x], words[blockDim.x + threadIdx.x]);
    }
    gate_tail(a, b, c, n);
}
//! [gate_tiles]
#else
__global__ void gate_tiles(const bf16*, const bf16*, bf16*, std::size_t) {}
#endif
