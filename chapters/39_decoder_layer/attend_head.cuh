// Attention by one block per query head: every score, then the softmax, then the weighted values.
#pragma once

#include "layer.hpp"
#include "reductions.cuh"

//! [attend_head]
constexpr float lowest_score = -1e30F; // below every score, but finite

// Computes one query head by one block of at least 128 threads: each thread computes the scores of
// whole tokens (query times key), and then each of 128 threads the weighted sum of one element of
// the values. `weights` is shared memory, one float per token.
__device__ inline void attend_head(const DecoderLayer& layer, unsigned query_head, float* weights)
{
    constexpr unsigned head = DecoderLayer::head;
    const std::size_t cache = std::size_t{query_head / layer.heads_per_kv()} * layer.tokens * head;
    const bf16* q = layer.q + query_head * head;
    float max_score = lowest_score;
    for (unsigned t = threadIdx.x; t < layer.tokens; t += blockDim.x) {
        float score = 0;
        for (unsigned d = 0; d < head; ++d) {
            score +=
                static_cast<float>(q[d]) * static_cast<float>(layer.keys[cache + t * head + d]);
        }
        weights[t] = score;
        max_score = fmaxf(max_score, score);
    }
    max_score = block_max(max_score);
    float sum = 0;
    for (unsigned t = threadIdx.x; t < layer.tokens; t += blockDim.x) {
        weights[t] = __expf(weights[t] - max_score);
        sum += weights[t];
    }
    sum = block_sum(sum);
    if (threadIdx.x < head) {
        float value = 0;
        for (unsigned t = 0; t < layer.tokens; ++t) {
            value += weights[t] * static_cast<float>(layer.values[cache + t * head + threadIdx.x]);
        }
        layer.attended[query_head * head + threadIdx.x] = __float2bfloat16(value / sum);
    }
}
//! [attend_head]
