// A copy through tiles.
#pragma once

#include "fetch.cuh"

#ifdef __CUDACC__

//! [copy]
// Copies units of any size: whole float4s by the TMA, and the few units after them by block 0.
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
//! [copy]
#else
__global__ void copy_bulk(const void*, void*, std::size_t, unsigned) {}
#endif
