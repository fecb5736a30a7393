// Attention with the tokens of a head split over blocks (split-KV).
#pragma once

#include "../32_matrix_vector/sum_lanes.cuh"
#include "../33_rows/eight.cuh"
#include "attend_head.cuh"

//! [attend]
// Floats of a partial result of a head: 128 weighted sums of values, the largest score, and the
// sum of the weights, which are exp(score - largest).
constexpr unsigned partial_floats = 132;

// Computes, by one warp, the partial results of `tokens` tokens of a kv head, at most
// DecoderLayer::unit, for all `group` query heads, at most four. Each half of the warp takes one
// token at a time, eight elements per lane. Stores one partial result per head to `to`.
__device__ inline void attend_tokens(const bf16* keys, const bf16* values, unsigned tokens,
                                     const bf16* q, unsigned group, float* to)
{
    constexpr unsigned head = DecoderLayer::head;
    constexpr unsigned turns = DecoderLayer::unit / 2;
    constexpr unsigned most = 4; // heads
    const unsigned side = threadIdx.x % 32 / 16;
    const unsigned first = threadIdx.x % 16 * 8; // of the lane's elements
    // Past the end, the last token is read again, with weight 0.
    const auto at = [&](unsigned turn) {
        const unsigned token = 2 * turn + side;
        return (token < tokens ? token : tokens - 1) * head + first;
    };
    float weight[most][turns] = {};
    float largest[most] = {lowest, lowest, lowest, lowest};
    float sums[most][8] = {};
    if (tokens > 0) {
        Eight queries[most];
        for (unsigned h = 0; h < most; ++h) {
            const std::size_t of_head = std::size_t{h < group ? h : 0} * head + first;
            queries[h] = unpack8(__ldcg(reinterpret_cast<const uint4*>(q + of_head)));
        }
#pragma unroll
        for (unsigned k = 0; k < turns; ++k) {
            const Eight key = unpack8(*reinterpret_cast<const uint4*>(keys + at(k)));
            for (unsigned h = 0; h < most; ++h) {
                for (unsigned e = 0; e < 8; ++e) {
                    weight[h][k] += key.x[e] * queries[h].x[e];
                }
                weight[h][k] = sum_lanes<16>(weight[h][k]);
                largest[h] = fmaxf(largest[h], weight[h][k]);
            }
        }
        for (unsigned h = 0; h < most; ++h) {
            largest[h] = fmaxf(largest[h], __shfl_xor_sync(0xffffffff, largest[h], 16));
        }
#pragma unroll
        for (unsigned k = 0; k < turns; ++k) {
            const Eight value = unpack8(*reinterpret_cast<const uint4*>(values + at(k)));
            for (unsigned h = 0; h < most; ++h) {
                const float w = __expf(weight[h][k] - largest[h]);
                weight[h][k] = 2 * k + side < tokens ? w : 0;
                for (unsigned e = 0; e < 8; ++e) {
                    sums[h][e] += weight[h][k] * value.x[e];
                }
            }
        }
    }
#pragma unroll
    for (unsigned h = 0; h < most; ++h) {
        float weights = 0;
        for (unsigned k = 0; k < turns; ++k) {
            weights += weight[h][k];
        }
        weights += __shfl_xor_sync(0xffffffff, weights, 16);
        for (float& sum : sums[h]) {
            sum += __shfl_xor_sync(0xffffffff, sum, 16);
        }
        if (h < group) {
            float* const of_head = to + h * partial_floats;
            auto* out = reinterpret_cast<float4*>(of_head + first + side * 4);
            *out = side == 0 ? make_float4(sums[h][0], sums[h][1], sums[h][2], sums[h][3])
                             : make_float4(sums[h][4], sums[h][5], sums[h][6], sums[h][7]);
            if (threadIdx.x % 32 == 0) {
                of_head[head] = largest[h];
                of_head[head + 1] = weights;
            }
        }
    }
}

// Combines `count` partial results of one head, `stride` floats apart, each rescaled to the largest
// score of all: element d of the sums in x, the largest score in y, the sum of weights in z.
__device__ inline float3 combine_partials(const float* p, unsigned count, unsigned stride,
                                          unsigned d)
{
    float3 all = make_float3(0, lowest, 0);
#pragma unroll 16
    for (unsigned k = 0; k < count; ++k) {
        all.y = fmaxf(all.y, p[k * stride + 128]);
    }
#pragma unroll 16
    for (unsigned k = 0; k < count; ++k) {
        const float scale = __expf(p[k * stride + 128] - all.y);
        all.x += scale * p[k * stride + d];
        all.z += scale * p[k * stride + 129];
    }
    return all;
}

// Computes, by a block, part `task % parts()` of the tokens of kv head `task / parts()`. The last
// block of a kv head to finish combines its parts. `keys` and `values` are those of the warp's
// `tokens`, and a warp calls read() when it has read them; `scratch` has scratch_bytes() of shared
// memory.
template<class Function>
__device__ void attend_part(const DecoderLayer& layer, unsigned task, const bf16* keys,
                            const bf16* values, unsigned tokens, float* scratch, Function read)
{
    __shared__ bool last;
    constexpr unsigned head = DecoderLayer::head;
    const unsigned parts = layer.parts();
    const unsigned kv = task / parts;
    const unsigned first = kv * layer.group(); // of its heads
    const unsigned of_warp = layer.group() * partial_floats;
    attend_tokens(keys, values, tokens, layer.q + first * head, layer.group(),
                  scratch + threadIdx.x / 32 * of_warp);
    read();
    __syncthreads();
    float* const partials = layer.partials + std::size_t{first} * parts * partial_floats;
    for (unsigned e = threadIdx.x; e < layer.group() * head; e += blockDim.x) {
        const float* const of_head = scratch + e / head * partial_floats;
        const float3 all = combine_partials(of_head, DecoderLayer::warps, of_warp, e % head);
        float* const to = partials + (e / head * parts + task % parts) * partial_floats;
        to[e % head] = all.x;
        if (e % head == 0) {
            to[head] = all.y;
            to[head + 1] = all.z;
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence(); // makes the partial result visible before its count
        last = atomicInc(&layer.counters[kv], parts - 1) == parts - 1; // which leaves 0 behind
        __threadfence();
    }
    __syncthreads();
    if (last) {
        for (unsigned e = threadIdx.x; e < layer.group() * head; e += blockDim.x) {
            const float* const of_head = partials + e / head * parts * partial_floats;
            const float3 all = combine_partials(of_head, parts, partial_floats, e % head);
            layer.attended[first * head + e] = __float2bfloat16(all.x / all.z);
        }
    }
    __syncthreads();
}
//! [attend]
