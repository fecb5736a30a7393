// Kernels of one step each, fused ones, and split attention.
#pragma once

#include "attend_head.cuh"
#include "attend_part.cuh"
#include "norm_block.cuh"
#include "row.cuh"
#include "store.cuh"

//! [thread_per_row]
__global__ void norm(DecoderLayer layer, const float* x, const bf16* g)
{
    norm_block(layer, x, g, layer.normed);
}

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

__global__ void rotate(DecoderLayer layer)
{
    const unsigned task = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned row = layer.matrix(Step::qkv).row(task);
    store_qkv(layer, task, layer.sums[row], layer.sums[row + 64]);
}

__global__ void attend(DecoderLayer layer)
{
    extern __shared__ float weights[];
    attend_head(layer, blockIdx.x, weights);
}

__global__ void activate(DecoderLayer layer)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    layer.activated[i] = silu(layer.sums[i], layer.sums[layer.intermediate + i]);
}
//! [thread_per_row]

//! [warp_per_row]
__global__ void __launch_bounds__(256) rows_by_warps(Product p)
{
    extern __shared__ __align__(16) bf16 x[];
    const unsigned row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    Row products(p.weights + std::size_t{row} * p.columns, p.columns);
    copy_block(x, p.x, p.columns);
    store_sum(p.y, p.add, row, products.dot(x));
}
//! [warp_per_row]

//! [fused]
// Fuses a norm, two rows per warp, and rotation or SiLU.
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
    const float of_a = a.dot(normed);
    const float of_b = b.dot(normed);
    if (threadIdx.x % 32 == 0) {
        store_task<step>(layer, task, of_a, of_b);
    }
}
//! [fused]

//! [split_attention]
__global__ void split_attention(DecoderLayer layer)
{
    extern __shared__ float scratch[];
    const auto tokens = layer.tokens_of(blockIdx.x * DecoderLayer::warps + threadIdx.x / 32);
    attend_part(layer, blockIdx.x, layer.keys + tokens.at, layer.values + tokens.at, tokens.count,
                scratch, [] {});
}
//! [split_attention]
