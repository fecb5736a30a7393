// SiLU of one array times another: with 16 bytes per thread, and with tiles of the bulk copy
// engine.
#pragma once

#include "../26_bulk_copy/fetch.cuh"
#include "../33_rows/eight.cuh"
#include "flips.cuh"

//! [gates]
// x / (1 + e^-x), times y; __fdividef() lets nvcc divide by one multiplication.
__device__ inline float silu_times(float x, float y)
{
    return __fdividef(x, 1 + __expf(-x)) * y;
}

// The same of the two bfloat16 in each word.
__device__ inline unsigned gate_word(unsigned x, unsigned y)
{
    return word_of(silu_times(lower(x), lower(y)), silu_times(upper(x), upper(y)));
}
__device__ inline uint4 gate_words(uint4 x, uint4 y)
{
    return make_uint4(gate_word(x.x, y.x), gate_word(x.y, y.y), gate_word(x.z, y.z),
                      gate_word(x.w, y.w));
}

// Elements behind the last 16 bytes, of which there are fewer than 8.
__device__ inline void gate_rest(const bf16* a, const bf16* b, bf16* c, std::size_t n)
{
    const std::size_t i = n / 8 * 8 + threadIdx.x;
    if (blockIdx.x == 0 && i < n) {
        c[i] = narrow<bf16>(silu_times(widen(a[i]), widen(b[i])));
    }
}

// A thread has 16 bytes of each array.
__global__ void gate_vectors(const bf16* a, const bf16* b, bf16* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n / 8) {
        reinterpret_cast<uint4*>(c)[i] =
            gate_words(reinterpret_cast<const uint4*>(a)[i], reinterpret_cast<const uint4*>(b)[i]);
    }
    gate_rest(a, b, c, n);
}
//! [gates]

#ifdef __CUDACC__ // the CPU device has no bulk copy engine: the row says "GPU only"
//! [gate_tiles]
// The same from tiles that the engine brings into shared memory, as in chapter 26.
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
            gate_words(words[threadIdx.x], words[blockDim.x + threadIdx.x]);
    }
    gate_rest(a, b, c, n);
}
//! [gate_tiles]
#else
__global__ void gate_tiles(const bf16*, const bf16*, bf16*, std::size_t) {}
#endif
