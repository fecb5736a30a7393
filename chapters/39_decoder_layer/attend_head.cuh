// Attention by one block per head.
#pragma once

#include "layer.hpp"
#include "reduce_block.cuh"

//! [attend_head]
constexpr float lowest = -1e30F; // below every score, but finite

// Computes a query head by one block: each thread scores whole tokens, then each of 128 threads
// sums one element of the values. `weights` is shared memory, one float per token.
__device__ inline void attend_head(const DecoderLayer& layer, unsigned head_of_q, float* weights)
{
    constexpr unsigned head = DecoderLayer::head;
    const std::size_t cache = std::size_t{head_of_q / layer.group()} * layer.tokens * head;
    const bf16* q = layer.q + head_of_q * head;
    float largest = lowest;
    for (unsigned t = threadIdx.x; t < layer.tokens; t += blockDim.x) {
        float score = 0;
        for (unsigned d = 0; d < head; ++d) {
            score +=
                static_cast<float>(q[d]) * static_cast<float>(layer.keys[cache + t * head + d]);
        }
        weights[t] = score;
        largest = fmaxf(largest, score);
    }
    largest = max_of_block(largest);
    float sum = 0;
    for (unsigned t = threadIdx.x; t < layer.tokens; t += blockDim.x) {
        weights[t] = __expf(weights[t] - largest);
        sum += weights[t];
    }
    sum = sum_of_block(sum);
    if (threadIdx.x < head) {
        float value = 0;
        for (unsigned t = 0; t < layer.tokens; ++t) {
            value += weights[t] * static_cast<float>(layer.values[cache + t * head + threadIdx.x]);
        }
        layer.attended[head_of_q * head + threadIdx.x] = __float2bfloat16(value / sum);
    }
}
//! [attend_head]
