// RMSNorm by one block: before attention, and before the gate.
#pragma once

#include "bf16.cuh"
#include "layer.hpp"
#include "reductions.cuh"

// Multiplies two floats by a scale and by the two bf16 values of a word, and packs the results.
__device__ inline unsigned scale_bf16x2(float x, float y, float scale, unsigned weights)
{
    return pack_bf16x2(x * scale * bf16_low(weights), y * scale * bf16_high(weights));
}

// Writes the RMSNorm of x to `out`, in shared or global memory: x over its root mean square, times
// the weights g; each has layer.hidden elements. For one block of 256 threads or more, with all of
// x in flight at once. Calls after_loads() after it has issued these loads, for loads that should
// come later.
template<class Function>
__device__ void norm_block(const DecoderLayer& layer, const float* x, const bf16* g, bf16* out,
                           Function after_loads)
{
    constexpr unsigned vectors = DecoderLayer::max_hidden / (256 * 8); // of 8 elements, per thread
    float4 xs[vectors][2];
    uint4 gs[vectors];
    float squares = 0;
#pragma unroll
    for (unsigned k = 0; k < vectors; ++k) {
        const unsigned i = (k * blockDim.x + threadIdx.x) * 8;
        if (i < layer.hidden) { // from L2: another block may have written it in this launch
            xs[k][0] = __ldcg(reinterpret_cast<const float4*>(x + i));
            xs[k][1] = __ldcg(reinterpret_cast<const float4*>(x + i + 4));
            gs[k] = *reinterpret_cast<const uint4*>(g + i);
        }
    }
    after_loads();
#pragma unroll
    for (unsigned k = 0; k < vectors; ++k) {
        if ((k * blockDim.x + threadIdx.x) * 8 < layer.hidden) {
            for (const float4& v : xs[k]) {
                squares += v.x * v.x + v.y * v.y + (v.z * v.z + v.w * v.w);
            }
        }
    }
    const float scale = rsqrtf(block_sum(squares) / static_cast<float>(layer.hidden) + 1e-5F);
#pragma unroll
    for (unsigned k = 0; k < vectors; ++k) {
        const unsigned i = (k * blockDim.x + threadIdx.x) * 8;
        if (i < layer.hidden) {
            *reinterpret_cast<uint4*>(out + i) =
                make_uint4(scale_bf16x2(xs[k][0].x, xs[k][0].y, scale, gs[k].x),
                           scale_bf16x2(xs[k][0].z, xs[k][0].w, scale, gs[k].y),
                           scale_bf16x2(xs[k][1].x, xs[k][1].y, scale, gs[k].z),
                           scale_bf16x2(xs[k][1].z, xs[k][1].w, scale, gs[k].w));
        }
    }
    __syncthreads();
}

// The same without further loads.
__device__ inline void norm_block(const DecoderLayer& layer, const float* x, const bf16* g,
                                  bf16* out)
{
    norm_block(layer, x, g, out, [] {});
}
