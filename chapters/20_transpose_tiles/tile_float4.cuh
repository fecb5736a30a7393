// A tile of float4s: words of 16 bytes on either side.
#pragma once

#include "common/chapter.hpp"

//! [float4]
constexpr unsigned vector_tile_dim = 64; // side of a tile of float4s; blocks of 16 x 16 threads
constexpr unsigned tile_vectors = vector_tile_dim / 4;

// The 4 x 4 square of four float4s below each other, transposed in registers.
__device__ void transpose4x4(float4 (&v)[4])
{
    const auto [a, b, c, d] = v;
    v[0] = make_float4(a.x, b.x, c.x, d.x);
    v[1] = make_float4(a.y, b.y, c.y, d.y);
    v[2] = make_float4(a.z, b.z, c.z, d.z);
    v[3] = make_float4(a.w, b.w, c.w, d.w);
}

// Eight lanes at a time store to the tile: `^ (threadIdx.x % 8)` gives each four banks of its own.
// Rows and columns must be multiples of four, so a square is inside the matrix or outside.
template<bool down, bool past_l1, bool evict_first>
__global__ void tile_float4(const float* a, float* c, std::size_t rows, std::size_t columns)
{
    __shared__ float4 turned[vector_tile_dim][tile_vectors]; // float4s of c
    const std::size_t left = std::size_t{down ? blockIdx.y : blockIdx.x} * vector_tile_dim;
    const std::size_t top = std::size_t{down ? blockIdx.x : blockIdx.y} * vector_tile_dim;
    const std::size_t x = left + 4 * threadIdx.x;
    const std::size_t y = top + 4 * threadIdx.y;
    if (x < columns && y < rows) {
        float4 v[4];
        for (unsigned k = 0; k < 4; ++k) {
            const float4* from = reinterpret_cast<const float4*>(a + (y + k) * columns + x);
            v[k] = past_l1 ? __ldcg(from) : *from;
        }
        transpose4x4(v);
        for (unsigned k = 0; k < 4; ++k) {
            turned[4 * threadIdx.x + k][threadIdx.y ^ threadIdx.x % 8] = v[k];
        }
    }
    __syncthreads();
    const std::size_t v = top + 4 * threadIdx.x;
    for (unsigned k = 0; k < 4; ++k) {
        const unsigned u = threadIdx.y + tile_vectors * k;
        if (left + u < columns && v < rows) {
            float4* to = reinterpret_cast<float4*>(c + (left + u) * rows + v);
            const float4 value = turned[u][threadIdx.x ^ u / 4 % 8];
            evict_first ? __stcs(to, value) : void(*to = value);
        }
    }
}
//! [float4]
