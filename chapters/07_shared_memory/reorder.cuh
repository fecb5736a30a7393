// 32 x 32 matrices transposed: directly, and in shared memory with and without bank conflicts.
#pragma once

#include "common/chapter.hpp"

//! [reorder]
constexpr unsigned tile_dim = 32;

// Every 1024 elements of a are a 32 x 32 matrix, whose transpose takes their place in c; what is
// left at the end is copied.
__global__ void reorder_direct(const float* a, float* c, std::size_t n)
{
    const std::size_t start = std::size_t{blockIdx.x} * tile_dim * tile_dim;
    const std::size_t i = start + threadIdx.x;
    if (start + tile_dim * tile_dim <= n) {
        c[start + threadIdx.x % tile_dim * tile_dim + threadIdx.x / tile_dim] = a[i];
    } else if (i < n) {
        c[i] = a[i];
    }
}

// Both global accesses are coalesced. Pitch: words per row of the tile. With 32, all lanes of a
// warp read the same bank, one after the other; with 33, each lane reads a bank of its own.
template<unsigned pitch>
__global__ void reorder_shared(const float* a, float* c, std::size_t n)
{
    __shared__ float tile[tile_dim * pitch];
    const std::size_t start = std::size_t{blockIdx.x} * tile_dim * tile_dim;
    const std::size_t i = start + threadIdx.x;
    if (start + tile_dim * tile_dim <=
        n) { // the same for all threads of a block, so all meet the barrier
        tile[threadIdx.x / tile_dim * pitch + threadIdx.x % tile_dim] = a[i];
        __syncthreads();
        c[i] = tile[threadIdx.x % tile_dim * pitch + threadIdx.x / tile_dim];
    } else if (i < n) {
        c[i] = a[i];
    }
}
//! [reorder]
