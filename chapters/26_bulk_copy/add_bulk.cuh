// The addition of tiles of two arrays in shared memory, which the TMA has loaded.
#pragma once

#include "add_float4.cuh"
#include "fetch.cuh"

#ifdef __CUDACC__

//! [add]
// c = a + b, one float4 per thread. Launch: a thread per float4, with two float4s of dynamic shared
// memory per thread.
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
//! [add]
#else
__global__ void add_bulk(const float*, const float*, float*, std::size_t) {}
#endif
