// RMSNorm by one block: before attention, and before the gate.
#pragma once

#include "../33_rows/eight.cuh"
#include "layer.hpp"
#include "reduce_block.cuh"

// Multiplies two floats by a scale and by the two bfloat16 of a word, and packs the results.
__device__ inline unsigned scale_two(float x, float y, float scale, unsigned weights)
{
    return word_of(x * scale * lower(weights), y * scale * upper(weights));
}

// Writes to `to`, in shared or global memory: x over the root of its mean square, times the weights
// g. A block of 256 threads or more has all of x in flight at once. meanwhile() is called
// after those loads are issued, so that its own come later.
template<class Function>
__device__ void norm_block(const DecoderLayer& layer, const float* x, const bf16* g, bf16* to,
                           Function meanwhile)
{
    constexpr unsigned most = DecoderLayer::widest / (256 * 8); // vectors of 8 per thread
    float4 xs[most][2];
    uint4 gs[most];
    float squares = 0;
#pragma unroll
    for (unsigned k = 0; k < most; ++k) {
        const unsigned i = (k * blockDim.x + threadIdx.x) * 8;
        if (i < layer.hidden) { // past the L1: another block may have written it in this launch
            xs[k][0] = __ldcg(reinterpret_cast<const float4*>(x + i));
            xs[k][1] = __ldcg(reinterpret_cast<const float4*>(x + i + 4));
            gs[k] = *reinterpret_cast<const uint4*>(g + i);
        }
    }
    meanwhile();
#pragma unroll
    for (unsigned k = 0; k < most; ++k) {
        if ((k * blockDim.x + threadIdx.x) * 8 < layer.hidden) {
            for (const float4& v : xs[k]) {
                squares += v.x * v.x + v.y * v.y + (v.z * v.z + v.w * v.w);
            }
        }
    }
    const float scale = rsqrtf(sum_of_block(squares) / static_cast<float>(layer.hidden) + 1e-5F);
#pragma unroll
    for (unsigned k = 0; k < most; ++k) {
        const unsigned i = (k * blockDim.x + threadIdx.x) * 8;
        if (i < layer.hidden) {
            *reinterpret_cast<uint4*>(to + i) =
                make_uint4(scale_two(xs[k][0].x, xs[k][0].y, scale, gs[k].x),
                           scale_two(xs[k][0].z, xs[k][0].w, scale, gs[k].y),
                           scale_two(xs[k][1].x, xs[k][1].y, scale, gs[k].z),
                           scale_two(xs[k][1].z, xs[k][1].w, scale, gs[k].w));
        }
    }
    __syncthreads();
}

__device__ inline void norm_block(const DecoderLayer& layer, const float* x, const bf16* g,
                                  bf16* to)
{
    norm_block(layer, x, g, to, [] {});
}
