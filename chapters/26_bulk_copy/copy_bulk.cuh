// A copy through tiles in shared memory.
#pragma once

#include "fetch.cuh"

#ifdef __CUDACC__

//! [copy]
// Copies n elements of any size: whole float4s through shared memory, loaded by the TMA, and the
// last elements by block 0. Launch: a block per tile of `tile` float4s, with one tile of dynamic
// shared memory.
template<class Element>
__global__ void copy_bulk(const Element* a, Element* c, std::size_t n, unsigned tile)
{
    extern __shared__ __align__(128) float4 tiles[];
    __shared__ std::uint64_t barrier;
    constexpr std::size_t per_vector = sizeof(float4) / sizeof(Element);
    const std::size_t vectors = n / per_vector;
    const unsigned count =
        fetch_tiles<1>(tiles, {reinterpret_cast<const float4*>(a)}, vectors, tile, &barrier);
    float4* out = reinterpret_cast<float4*>(c) + std::size_t{blockIdx.x} * tile;
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x) {
        out[i] = tiles[i];
    }
    const std::size_t k = per_vector * vectors + threadIdx.x;
    if (blockIdx.x == 0 && k < n) {
        c[k] = a[k];
    }
}
//! [copy]
#else
__global__ void copy_bulk(const void*, void*, std::size_t, unsigned) {}
#endif
