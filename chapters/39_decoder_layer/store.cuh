// The operations on finished dot products, fused with their stores.
#pragma once

#include "layer.hpp"

// Stores the sums a and b of a task of the step qkv: an element of a query, a key or a value, and
// the element 64 after it. Queries and keys are rotated by the token's angle (RoPE).
__device__ inline void store_qkv(const DecoderLayer& layer, unsigned task, float a, float b)
{
    const unsigned head = task / 64;
    const std::size_t last = std::size_t{layer.tokens} - 1;
    bf16* out = nullptr;
    float x = a;
    float y = b;
    if (head < layer.heads + layer.kv_heads) {
        const float2 cos_sin = layer.rotation[task % 64];
        x = a * cos_sin.x - b * cos_sin.y;
        y = b * cos_sin.x + a * cos_sin.y;
    }
    if (head < layer.heads) {
        x *= 0.08838834764831845F; // 1 / sqrt(128)
        y *= 0.08838834764831845F;
        out = layer.q + head * DecoderLayer::head;
    } else if (head < layer.heads + layer.kv_heads) {
        out = layer.keys + ((head - layer.heads) * std::size_t{layer.tokens} + last) * layer.head;
    } else {
        const unsigned kv = head - layer.heads - layer.kv_heads;
        out = layer.values + (kv * std::size_t{layer.tokens} + last) * DecoderLayer::head;
    }
    out[task % 64] = __float2bfloat16(x);
    out[task % 64 + 64] = __float2bfloat16(y);
}

// Returns SiLU(gate) times up.
__device__ inline bf16 silu(float gate, float up)
{
    return __float2bfloat16(gate / (1 + __expf(-gate)) * up);
}

// Stores the output of a task: a is its dot product, b its partner's where it has one.
template<Step step>
__device__ void store_task(const DecoderLayer& layer, unsigned task, float a, float b)
{
    if constexpr (step == Step::qkv) {
        store_qkv(layer, task, a, b);
    } else if constexpr (step == Step::gate_up) {
        layer.activated[task] = silu(a, b);
    } else if constexpr (step == Step::out) {
        layer.x1[task] = layer.x[task] + a;
    } else {
        layer.y[task] = __ldcg(&layer.x1[task]) + a;
    }
}

// Stores a row's sum, which all lanes of the warp have, by lane 0: y[row] = sum, plus add[row]
// unless add is null.
__device__ inline void store_sum(float* y, const float* add, unsigned row, float sum)
{
    if (threadIdx.x % 32 == 0) {
        y[row] = add == nullptr ? sum : __ldcg(&add[row]) + sum;
    }
}

// Copies n elements, a multiple of 8, to shared memory, by all threads of a block. __ldcg() loads
// them from L2, because other SMs may have written them.
__device__ inline void copy_to_shared(bf16* to, const bf16* from, unsigned n)
{
    for (unsigned i = threadIdx.x; i < n / 8; i += blockDim.x) {
        reinterpret_cast<uint4*>(to)[i] = __ldcg(reinterpret_cast<const uint4*>(from) + i);
    }
    __syncthreads();
}
