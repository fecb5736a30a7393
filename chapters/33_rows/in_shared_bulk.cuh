// A kernel that reads each row once, with the TMA, and keeps it in shared memory.
#pragma once

#include "../26_bulk_copy/fetch.cuh" // fetch_tiles()
#include "operations.cuh"

//! [in_shared_bulk]
constexpr unsigned bulk_threads = 256; // per block

#ifdef __CUDACC__
// Keeps row blockIdx.x in shared memory. The weights are loaded into registers while it arrives.
// Launch: s.rows blocks of `bulk_threads` threads, with s.width bf16 of dynamic shared memory.
template<class Op>
__global__ void __launch_bounds__(bulk_threads)
    in_shared_bulk(const bf16* a, const bf16* w, typename Op::Out* c, float* scales, RowShape s)
{
    extern __shared__ __align__(128) float4 tile[];
    __shared__ std::uint64_t barrier;
    constexpr unsigned most = 3; // vectors per thread: rows of up to 6,144 elements
    const unsigned vectors = s.width / 8;
    uint4 words[most] = {};
#pragma unroll
    for (unsigned k = 0; k < most; ++k) {
        if (const unsigned i = threadIdx.x + k * bulk_threads; Op::weighted && i < vectors) {
            words[k] = reinterpret_cast<const uint4*>(w)[i];
        }
    }
    fetch_tiles<1>(tile, {reinterpret_cast<const float4*>(a)}, std::size_t{s.rows} * vectors,
                   vectors, &barrier);
    const auto* row = reinterpret_cast<const uint4*>(tile);
    float2 partial = Op::identity();
#pragma unroll
    for (unsigned k = 0; k < most; ++k) {
        if (const unsigned i = threadIdx.x + k * bulk_threads; i < vectors) {
            partial = Op::combine8(partial, unpack_bf16x8(row[i]), unpack_bf16x8(words[k]));
        }
    }
    const float2 factors = Op::factors(reduce_row<Op, bulk_threads>(partial), s.columns);
    if (sizeof(typename Op::Out) == 1 && threadIdx.x == 0) {
        scales[blockIdx.x] = factors.y;
    }
#pragma unroll
    for (unsigned k = 0; k < most; ++k) {
        if (const unsigned i = threadIdx.x + k * bulk_threads; i < vectors) {
            store_results<Op>(&c[s.at(blockIdx.x, 8 * i)], unpack_bf16x8(row[i]),
                              unpack_bf16x8(words[k]), factors);
        }
    }
}
#else // the CPU device has no TMA: its rows say "GPU only"
template<class Op>
__global__ void in_shared_bulk(const bf16*, const bf16*, typename Op::Out*, float*, RowShape)
{}
#endif
//! [in_shared_bulk]
