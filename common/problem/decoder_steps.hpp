/// \file
/// What every kernel of a decoder layer does alike.
#pragma once

#include "common/problem/bfloats.hpp"
#include "common/problem/decoder_layer.hpp"

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstddef>

namespace common {

//! [pieces]
/// What `lanes` lanes of a warp have, a power of two, joined, in each of them.
template<class Join>
__device__ float join_lanes(float x, unsigned lanes, Join join)
{
    for (unsigned k = lanes / 2; k > 0; k /= 2) {
        x = join(x, __shfl_xor_sync(0xffffffff, x, k));
    }
    return x;
}
/// The sum over so many neighbouring lanes, in the first of them.
__device__ inline float sum_lanes(float x, unsigned lanes = 32)
{
    return join_lanes(x, lanes, [](float a, float b) { return a + b; });
}

/// What the threads of a block have, joined, in each of them.
template<class Join>
__device__ float join_block(float x, Join join)
{
    __shared__ float warps[32];
    x = join_lanes(x, 32, join);
    __syncthreads(); // nobody reads what an earlier call has left
    if (threadIdx.x % 32 == 0) {
        warps[threadIdx.x / 32] = x;
    }
    __syncthreads();
    x = warps[0];
    for (unsigned warp = 1; warp < blockDim.x / 32; ++warp) {
        x = join(x, warps[warp]);
    }
    return x;
}
/// The sum over a block.
__device__ inline float sum_of_block(float x)
{
    return join_block(x, [](float a, float b) { return a + b; });
}
/// The largest of a block.
__device__ inline float max_of_block(float x)
{
    return join_block(x, [](float a, float b) { return fmaxf(a, b); });
}
/// Two floats times a scale and a bfloat16 each, which are the halves of a word, as such a word.
__device__ inline unsigned scale_two(float x, float y, float scale, unsigned weights)
{
    return word_of(x * scale * lower(weights), y * scale * upper(weights));
}
//! [pieces]

//! [row]
/// A row that a warp multiplies with x: `ahead` loads of 16 bytes a lane are on their way at once.
class Row
{
  public:
    /// Orders the first loads.
    __device__ Row(const bf16* row, unsigned columns)
        : row_(row + threadIdx.x % 32 * 8), columns_(columns)
    {
#pragma unroll
        for (unsigned k = 0; k < ahead; ++k) {
            loads_[k] = load(k * 256);
        }
    }
    /// The sum of its products with x, in shared or global memory, in every lane.
    __device__ float dot(const bf16* x)
    {
        float sum = 0;
        for (unsigned first = 0; first < columns_; first += ahead * 256) {
#pragma unroll
            for (unsigned k = 0; k < ahead; ++k) {
                const unsigned i = first + k * 256 + threadIdx.x % 32 * 8;
                if (i < columns_) {
                    sum =
                        add_products<bf16>(loads_[k], *reinterpret_cast<const uint4*>(x + i), sum);
                }
                loads_[k] = load(first + (k + ahead) * 256);
            }
        }
        return sum_lanes(sum);
    }

  private:
    static constexpr unsigned ahead = 8;
    __device__ uint4 load(unsigned first) const
    {
        const bool there = first + threadIdx.x % 32 * 8 < columns_;
        return there ? __ldcs(reinterpret_cast<const uint4*>(row_ + first)) : uint4{};
    }
    const bf16* row_;
    unsigned columns_;
    uint4 loads_[ahead];
};
//! [row]

//! [norm]
/// `to`, in shared or global memory: x over the root of its mean square, times the weights g. A
/// block of 256 threads or more, which have all of x on its way at once.
__device__ inline void norm(const DecoderLayer& layer, const float* x, const bf16* g, bf16* to)
{
    constexpr unsigned most = DecoderLayer::widest / (256 * 8); // eights that a thread has
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
#pragma unroll
    for (unsigned k = 0; k < most; ++k) {
        if ((k * blockDim.x + threadIdx.x) * 8 < layer.hidden) {
            for (const float4 v : xs[k]) {
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
//! [norm]

//! [store]
/// What becomes of the sums a and b of a task of the step qkv: an element of a query, a key or a
/// value, and the one 64 behind it. Queries and keys are turned by the token's angle.
__device__ inline void store_qkv(const DecoderLayer& layer, unsigned task, float a, float b)
{
    const unsigned head = task / 64;
    const std::size_t last = std::size_t{layer.tokens} - 1;
    bf16* to = nullptr;
    float x = a;
    float y = b;
    if (head < layer.heads + layer.kv_heads) {
        const float2 turn = layer.rotation[task % 64];
        x = a * turn.x - b * turn.y;
        y = b * turn.x + a * turn.y;
    }
    if (head < layer.heads) {
        x *= 0.08838834764831845F; // 1 / sqrt(128)
        y *= 0.08838834764831845F;
        to = layer.q + head * DecoderLayer::head;
    } else if (head < layer.heads + layer.kv_heads) {
        to = layer.keys + ((head - layer.heads) * std::size_t{layer.tokens} + last) * layer.head;
    } else {
        const unsigned kv = head - layer.heads - layer.kv_heads;
        to = layer.values + (kv * std::size_t{layer.tokens} + last) * DecoderLayer::head;
    }
    to[task % 64] = __float2bfloat16(x);
    to[task % 64 + 64] = __float2bfloat16(y);
}

/// What becomes of a gate and of what it lets through: SiLU of the one, times the other.
__device__ inline bf16 activate(float gate, float up)
{
    return __float2bfloat16(gate / (1 + __expf(-gate)) * up);
}

/// Lane 0 stores what becomes of the two sums of a task, which all lanes have.
template<Step step>
__device__ void store(const DecoderLayer& layer, unsigned task, float a, float b)
{
    if (threadIdx.x % 32 == 0) {
        if (step == Step::qkv) {
            store_qkv(layer, task, a, b);
        } else {
            layer.activated[task] = activate(a, b);
        }
    }
}

/// Lane 0 stores the sum that all lanes have, and what there is to be added to it.
__device__ inline void store(float* y, const float* add, unsigned row, float sum)
{
    if (threadIdx.x % 32 == 0) {
        y[row] = add == nullptr ? sum : __ldcg(&add[row]) + sum;
    }
}

/// A block: n elements, a multiple of 8, to shared memory.
__device__ inline void copy(bf16* to, const bf16* from, unsigned n)
{
    for (unsigned i = threadIdx.x; i < n / 8; i += blockDim.x) {
        reinterpret_cast<uint4*>(to)[i] = __ldcg(reinterpret_cast<const uint4*>(from) + i);
    }
    __syncthreads();
}
//! [store]

//! [attend_head]
constexpr float lowest = -1e30F; ///< below every score, and a number

/// A block: all tokens of a head of queries, a thread a token; then a thread an element of the
/// values. `weights` is shared memory for as many floats as there are tokens.
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

//! [attend]
/// Floats of a partial result of a head: 128 weighted sums of values, the largest score, and the
/// sum of the weights, which are exp(score - largest).
constexpr unsigned partial_floats = 132;

/// One warp: `tokens` tokens of a kv head, at most DecoderLayer::unit, for all the heads of its
/// group, which are four at most. 16 lanes have a token, the others the next one: eight elements a
/// lane. `to` takes a partial result a head.
__device__ inline void attend_tokens(const bf16* keys, const bf16* values, unsigned tokens,
                                     const bf16* q, unsigned group, float* to)
{
    constexpr unsigned head = DecoderLayer::head;
    constexpr unsigned turns = DecoderLayer::unit / 2;
    constexpr unsigned most = 4; // heads
    const unsigned side = threadIdx.x % 32 / 16;
    const unsigned first = threadIdx.x % 16 * 8; // of the lane's elements
    // Behind the last token that one is read again, and has no weight.
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
            queries[h] = eight_of(__ldcg(reinterpret_cast<const uint4*>(q + of_head)));
        }
#pragma unroll
        for (unsigned k = 0; k < turns; ++k) {
            const Eight key = eight_of(*reinterpret_cast<const uint4*>(keys + at(k)));
            for (unsigned h = 0; h < most; ++h) {
                for (unsigned e = 0; e < 8; ++e) {
                    weight[h][k] += key.x[e] * queries[h].x[e];
                }
                weight[h][k] = sum_lanes(weight[h][k], 16);
                largest[h] = fmaxf(largest[h], weight[h][k]);
            }
        }
        for (unsigned h = 0; h < most; ++h) {
            largest[h] = fmaxf(largest[h], __shfl_xor_sync(0xffffffff, largest[h], 16));
        }
#pragma unroll
        for (unsigned k = 0; k < turns; ++k) {
            const Eight value = eight_of(*reinterpret_cast<const uint4*>(values + at(k)));
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

/// `count` partial results of one head, `stride` floats apart, as one: element d of the sums in x,
/// the largest score in y, the sum of weights in z. Each is scaled to the largest score of all.
__device__ inline float3 join_partials(const float* p, unsigned count, unsigned stride, unsigned d)
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

/// A block of DecoderLayer::warps warps: part `task % parts()` of the tokens of kv head
/// `task / parts()`. The block of a kv head that ends last joins its parts. `keys` and `values` are
/// where the warp finds its `tokens`; `scratch` is shared memory for scratch_bytes().
__device__ inline void attend_part(const DecoderLayer& layer, unsigned task, const bf16* keys,
                                   const bf16* values, unsigned tokens, float* scratch)
{
    __shared__ bool last;
    constexpr unsigned head = DecoderLayer::head;
    const unsigned parts = layer.parts();
    const unsigned kv = task / parts;
    const unsigned first = kv * layer.group(); // of its heads
    const unsigned of_warp = layer.group() * partial_floats;
    attend_tokens(keys, values, tokens, layer.q + first * head, layer.group(),
                  scratch + threadIdx.x / 32 * of_warp);
    __syncthreads();
    float* const partials = layer.partials + std::size_t{first} * parts * partial_floats;
    for (unsigned e = threadIdx.x; e < layer.group() * head; e += blockDim.x) {
        const float* const of_head = scratch + e / head * partial_floats;
        const float3 all = join_partials(of_head, DecoderLayer::warps, of_warp, e % head);
        float* const to = partials + (e / head * parts + task % parts) * partial_floats;
        to[e % head] = all.x;
        if (e % head == 0) {
            to[head] = all.y;
            to[head + 1] = all.z;
        }
    }
    __threadfence(); // the partial result is there before it is counted
    __syncthreads();
    if (threadIdx.x == 0) {
        last = atomicInc(&layer.counters[kv], parts - 1) == parts - 1; // which leaves 0 behind
    }
    __syncthreads();
    if (last) {
        __threadfence();
        for (unsigned e = threadIdx.x; e < layer.group() * head; e += blockDim.x) {
            const float* const of_head = partials + e / head * parts * partial_floats;
            const float3 all = join_partials(of_head, parts, partial_floats, e % head);
            layer.attended[first * head + e] = __float2bfloat16(all.x / all.z);
        }
    }
    __syncthreads();
}
//! [attend]

} // namespace common
