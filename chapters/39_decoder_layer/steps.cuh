// Kernels of one step each, fused kernels, and split attention.
#pragma once

#include "attend_head.cuh"
#include "attend_part.cuh"
#include "norm_block.cuh"
#include "row.cuh"
#include "store.cuh"

//! [thread_per_row]
// p.y = p.weights p.x, plus p.add where it is not null: one thread per row. Launch: at least p.rows
// threads.
__global__ void rows_by_threads(Product p)
{
    const unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < p.rows) {
        const bf16* weights = p.weights + std::size_t{row} * p.columns;
        float sum = 0;
        for (unsigned k = 0; k < p.columns; ++k) {
            sum += static_cast<float>(weights[k]) * static_cast<float>(p.x[k]);
        }
        p.y[row] = p.add == nullptr ? sum : p.add[row] + sum;
    }
}
//! [thread_per_row]

//! [other_steps]
// layer.normed = RMSNorm of x, times g. Launch: one block of 256 threads.
__global__ void norm(DecoderLayer layer, const float* x, const bf16* g)
{
    norm_block(layer, x, g, layer.normed);
}

// Rotates queries and keys (RoPE) and stores queries, keys and values from layer.sums. Launch: one
// thread per pair of rows.
__global__ void rotate(DecoderLayer layer)
{
    const unsigned task = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned row = layer.matrix(Step::qkv).row(task);
    store_qkv(layer, task, layer.sums[row], layer.sums[row + 64]);
}

// Attention, one block per query head. Launch: layer.heads blocks of 256 threads, with one float
// per token of dynamic shared memory.
__global__ void attend(DecoderLayer layer)
{
    extern __shared__ float weights[];
    attend_head(layer, blockIdx.x, weights);
}

// layer.activated = SiLU(gate) times up, from layer.sums. Launch: layer.intermediate threads.
__global__ void activate(DecoderLayer layer)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    layer.activated[i] = silu(layer.sums[i], layer.sums[layer.intermediate + i]);
}
//! [other_steps]

//! [warp_per_row]
// The product of rows_by_threads() with one warp per row. Launch: p.rows / 8 blocks of 256 threads,
// with p.x_bytes() of dynamic shared memory.
__global__ void __launch_bounds__(256) rows_by_warps(Product p)
{
    extern __shared__ __align__(16) bf16 x[];
    const unsigned row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    Row products(p.weights + std::size_t{row} * p.columns, p.columns);
    copy_to_shared(x, p.x, p.columns);
    store_sum(p.y, p.add, row, products.dot(x));
}
//! [warp_per_row]

//! [fused]
// Fuses a norm, the dot products of two rows per warp, and rotation or SiLU. Launch: one warp per
// task, in blocks of 256 threads, with layer.hidden bf16 of shared memory.
template<Step step>
__global__ void __launch_bounds__(256, 2) fused(DecoderLayer layer)
{
    extern __shared__ __align__(16) bf16 normed[];
    constexpr bool qkv = step == Step::qkv;
    const Matrix matrix = layer.matrix(step);
    const unsigned task = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const bf16* row = matrix.weights + std::size_t{matrix.row(task)} * matrix.columns;
    Row a(row, matrix.columns); // in flight during the norm
    Row b(row + std::size_t{matrix.partner} * matrix.columns, matrix.columns);
    norm_block(layer, qkv ? layer.x : layer.x1, qkv ? layer.norm1 : layer.norm2, normed);
    const float dot_a = a.dot(normed);
    const float dot_b = b.dot(normed);
    if (threadIdx.x % 32 == 0) {
        store_task<step>(layer, task, dot_a, dot_b);
    }
}
//! [fused]

//! [split_attention]
// Attention, the tokens of a head split over blocks. Launch: layer.attention_blocks() blocks of
// layer.threads threads, with layer.scratch_bytes() of dynamic shared memory.
__global__ void split_attention(DecoderLayer layer)
{
    extern __shared__ float scratch[];
    const auto tokens =
        layer.tokens_of_warp(blockIdx.x * DecoderLayer::warps_per_block + threadIdx.x / 32);
    attend_part(layer, blockIdx.x, layer.keys + tokens.offset, layer.values + tokens.offset,
                tokens.count, scratch, [] {});
}
//! [split_attention]
