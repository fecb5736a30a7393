// Attention with the tokens of a kv head split over blocks (split-KV, as in flash decoding): each
// block computes a partial result, and the last one to finish combines them.
#pragma once

#include "attend_head.cuh"
#include "bf16.cuh"

// Floats of a head's partial result: 128 weighted sums of values, the maximum score, and the sum of
// the weights, which are exp(score - maximum); two are padding.
constexpr unsigned partial_floats = 132;

// Computes, by one warp, the partial results of `tokens` tokens of a kv head, at most
// tokens_per_warp, for its `heads` query heads, at most four. Each half of the warp takes one token
// per iteration, eight elements per lane. Stores one partial result per head to `partials`.
__device__ inline void attend_tokens(const bf16* keys, const bf16* values, unsigned tokens,
                                     const bf16* q, unsigned heads, float* partials)
{
    constexpr unsigned head = DecoderLayer::head;
    constexpr unsigned iterations = DecoderLayer::tokens_per_warp / 2;
    constexpr unsigned max_heads = 4;
    const unsigned half = threadIdx.x % 32 / 16;
    const unsigned first = threadIdx.x % 16 * 8; // this lane's first element of 128
    // Past the end, the last token is read again, with weight 0.
    const auto element_of = [&](unsigned iteration) {
        const unsigned token = 2 * iteration + half;
        return (token < tokens ? token : tokens - 1) * head + first;
    };
    float weight[max_heads][iterations] = {};
    float max_score[max_heads] = {lowest_score, lowest_score, lowest_score, lowest_score};
    float sums[max_heads][8] = {};
    if (tokens > 0) {
        Float8 queries[max_heads];
        for (unsigned h = 0; h < max_heads; ++h) {
            const std::size_t offset = std::size_t{h < heads ? h : 0} * head + first;
            queries[h] = unpack_bf16x8(__ldcg(reinterpret_cast<const uint4*>(q + offset)));
        }
#pragma unroll
        for (unsigned k = 0; k < iterations; ++k) {
            const Float8 key = unpack_bf16x8(*reinterpret_cast<const uint4*>(keys + element_of(k)));
            for (unsigned h = 0; h < max_heads; ++h) {
                for (unsigned e = 0; e < 8; ++e) {
                    weight[h][k] += key.x[e] * queries[h].x[e];
                }
                weight[h][k] = sum_lanes<16>(weight[h][k]);
                max_score[h] = fmaxf(max_score[h], weight[h][k]);
            }
        }
        for (unsigned h = 0; h < max_heads; ++h) {
            max_score[h] = fmaxf(max_score[h], __shfl_xor_sync(0xffffffff, max_score[h], 16));
        }
#pragma unroll
        for (unsigned k = 0; k < iterations; ++k) {
            const Float8 value =
                unpack_bf16x8(*reinterpret_cast<const uint4*>(values + element_of(k)));
            for (unsigned h = 0; h < max_heads; ++h) {
                const float w = __expf(weight[h][k] - max_score[h]);
                weight[h][k] = 2 * k + half < tokens ? w : 0;
                for (unsigned e = 0; e < 8; ++e) {
                    sums[h][e] += weight[h][k] * value.x[e];
                }
            }
        }
    }
#pragma unroll
    for (unsigned h = 0; h < max_heads; ++h) {
        float weight_sum = 0;
        for (unsigned k = 0; k < iterations; ++k) {
            weight_sum += weight[h][k];
        }
        weight_sum += __shfl_xor_sync(0xffffffff, weight_sum, 16);
        for (float& sum : sums[h]) {
            sum += __shfl_xor_sync(0xffffffff, sum, 16);
        }
        if (h < heads) {
            float* const partial = partials + h * partial_floats;
            auto* out = reinterpret_cast<float4*>(partial + first + half * 4);
            *out = half == 0 ? make_float4(sums[h][0], sums[h][1], sums[h][2], sums[h][3])
                             : make_float4(sums[h][4], sums[h][5], sums[h][6], sums[h][7]);
            if (threadIdx.x % 32 == 0) {
                partial[head] = max_score[h];
                partial[head + 1] = weight_sum;
            }
        }
    }
}

//! [combine]
// Combines `count` partial results of one head, `stride` floats apart, each rescaled to the maximum
// of all scores. Each is 128 weighted sums of values, a maximum score, and a sum of weights.
// Returns element d of the weighted sums in x, the maximum in y, and the sum of weights in z.
__device__ inline float3 combine_partials(const float* p, unsigned count, unsigned stride,
                                          unsigned d)
{
    constexpr unsigned head = DecoderLayer::head;
    float3 combined = make_float3(0, lowest_score, 0);
#pragma unroll 16
    for (unsigned k = 0; k < count; ++k) {
        combined.y = fmaxf(combined.y, p[k * stride + head]);
    }
#pragma unroll 16
    for (unsigned k = 0; k < count; ++k) {
        const float scale = __expf(p[k * stride + head] - combined.y);
        combined.x += scale * p[k * stride + d];
        combined.z += scale * p[k * stride + head + 1];
    }
    return combined;
}
//! [combine]

// Computes, by a block, attention over part `task % parts()` of the tokens of kv head
// `task / parts()`. The last block of a kv head to finish combines its parts. `keys` and `values`
// point to the warp's `tokens` tokens; done_reading() is called when the warp has read them.
// `scratch` is scratch_bytes() of shared memory.
template<class Function>
__device__ void attend_part(const DecoderLayer& layer, unsigned task, const bf16* keys,
                            const bf16* values, unsigned tokens, float* scratch,
                            Function done_reading)
{
    __shared__ bool is_last_block;
    constexpr unsigned head = DecoderLayer::head;
    const unsigned parts = layer.parts();
    const unsigned kv = task / parts;
    const unsigned first_head = kv * layer.heads_per_kv();
    const unsigned warp_floats = layer.heads_per_kv() * partial_floats; // results of one warp
    attend_tokens(keys, values, tokens, layer.q + first_head * head, layer.heads_per_kv(),
                  scratch + threadIdx.x / 32 * warp_floats);
    done_reading();
    __syncthreads();
    float* const partials = layer.partials + std::size_t{first_head} * parts * partial_floats;
    // Combines the results of the block's warps.
    for (unsigned e = threadIdx.x; e < layer.heads_per_kv() * head; e += blockDim.x) {
        const float* const warp_partials = scratch + e / head * partial_floats;
        const float3 combined =
            combine_partials(warp_partials, DecoderLayer::warps_per_block, warp_floats, e % head);
        float* const partial = partials + (e / head * parts + task % parts) * partial_floats;
        partial[e % head] = combined.x;
        if (e % head == 0) {
            partial[head] = combined.y;
            partial[head + 1] = combined.z;
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence(); // makes the partial result visible before its count
        is_last_block = atomicInc(&layer.counters[kv], parts - 1) == parts - 1; // wraps to 0
        __threadfence();
    }
    __syncthreads();
    if (is_last_block) { // combines the blocks
        for (unsigned e = threadIdx.x; e < layer.heads_per_kv() * head; e += blockDim.x) {
            const float* const head_partials = partials + e / head * parts * partial_floats;
            const float3 combined =
                combine_partials(head_partials, parts, partial_floats, e % head);
            layer.attended[first_head * head + e] = __float2bfloat16(combined.x / combined.z);
        }
    }
    __syncthreads();
}
