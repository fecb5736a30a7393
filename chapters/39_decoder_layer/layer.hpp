/// \file
/// A decoder layer as kernels see it: its matrices, its vectors, and the steps that use them. All
/// matrices are row-major; sizes in brackets are in elements.
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstddef>

using bf16 = __nv_bfloat16; ///< type of weights, keys and values

/// The steps of a layer that read weights or the KV cache, in this order.
enum class Step : unsigned
{
    qkv,       ///< query, key and value projections of the new token
    attention, ///< attention of the queries over the cached keys and values of all tokens
    out,       ///< output projection, added to the layer's input
    gate_up,   ///< gate and up projections
    down,      ///< down projection, added to x1
    end        ///< no step
};

/// A row-major bf16 matrix. A task is the work on one row or, if `partner` is not 0, on two: a row
/// and the row `partner` rows after it.
struct Matrix
{
    const bf16* weights; ///< the elements, row-major
    unsigned columns;    ///< elements per row
    unsigned tasks;      ///< number of tasks
    unsigned partner;    ///< distance between the two rows of a task in rows, or 0
    bool rotated;        ///< whether the first rows of tasks are rows 0 to 63 of each head of 128

    /// The first row of a task.
    __host__ __device__ unsigned row(unsigned task) const
    {
        return rotated ? task + task / 64 * 64 : task;
    }
};

/// A matrix-vector product: y = weights x, plus `add` unless that is null.
struct Product
{
    const bf16* weights; ///< the matrix, row-major
    const bf16* x;       ///< the vector
    const float* add;    ///< a vector that is added to the product, or null
    float* y;            ///< the result
    unsigned rows;       ///< rows of the matrix
    unsigned columns;    ///< columns of the matrix

    /// Bytes of x.
    [[nodiscard]] std::size_t x_bytes() const { return columns * sizeof(bf16); }
};

/// The tokens of a warp in split attention.
struct Tokens
{
    std::size_t offset; ///< offset of the first one in keys and values, in elements
    unsigned count;     ///< number of tokens
};

/// A layer as kernels see it. All vectors and matrices are aligned to 256 bytes.
struct DecoderLayer
{
    static constexpr unsigned head = 128;        ///< elements per head
    static constexpr unsigned max_hidden = 4096; ///< largest value of `hidden`

    unsigned hidden;             ///< elements of the residual stream, a power of two of 128 or more
    unsigned intermediate;       ///< elements of the MLP: 3.5 hidden
    unsigned heads;              ///< query heads: hidden / 128
    unsigned kv_heads;           ///< key and value heads: heads / 4, at least 1
    unsigned tokens;             ///< tokens in the KV cache; the last is the new one
    const bf16* qkv_weights;     ///< [(heads + 2 kv_heads) 128][hidden]
    const bf16* out_weights;     ///< [hidden][hidden]
    const bf16* gate_up_weights; ///< [2 intermediate][hidden]: the gate, then up
    const bf16* down_weights;    ///< [hidden][intermediate]
    const bf16* norm1;           ///< [hidden]: weights of the norm before attention
    const bf16* norm2;           ///< [hidden]: weights of the norm before the MLP
    const float2* rotation;      ///< [64]: cosine and sine of the new token's angles
    const float* x;              ///< [hidden]: the input of the layer
    bf16* q;                     ///< [heads][128]: queries, rotated, divided by sqrt(128)
    bf16* keys;      ///< [kv_heads][tokens][128]: the cache; step qkv writes the last token
    bf16* values;    ///< the same for the values
    bf16* attended;  ///< [heads][128]: the output of attention
    float* x1;       ///< [hidden]: x plus the output projection
    bf16* activated; ///< [intermediate]: SiLU(gate) times up
    float* y;        ///< [hidden]: the output of the layer, x1 plus the down projection
    bf16* normed;    ///< [hidden]: scratch for a norm
    float* sums;     ///< [2 intermediate]: scratch for dot products
    float* partials; ///< [heads][parts()][132]: partial results of attention
    /// [kv_heads + 1]: finished parts per kv head, 0 after each launch; the word of grid_barrier().
    unsigned* counters;

    // Split attention, and one_kernel():
    static constexpr unsigned warps_per_block = 16;
    static constexpr unsigned threads = 32 * warps_per_block; ///< threads per block
    static constexpr unsigned tokens_per_warp = 16;
    static constexpr unsigned tokens_per_block = warps_per_block * tokens_per_warp;
    /// Parts into which the tokens of a kv head are split, one block each.
    __host__ __device__ unsigned parts() const
    {
        return (tokens + tokens_per_block - 1) / tokens_per_block;
    }
    /// Blocks of split attention, for all kv heads.
    __host__ __device__ unsigned attention_blocks() const { return kv_heads * parts(); }
    /// The tokens of warp `warp` of the grid; the blocks process one kv head after another.
    __host__ __device__ Tokens tokens_of_warp(unsigned warp) const
    {
        const unsigned block = warp / warps_per_block;
        const std::size_t kv = block / parts();
        const unsigned token =
            block % parts() * tokens_per_block + warp % warps_per_block * tokens_per_warp;
        const unsigned left = token < tokens ? tokens - token : 0;
        return {left == 0 ? 0 : (kv * tokens + token) * head,
                left < tokens_per_warp ? left : tokens_per_warp};
    }
    /// Bytes of shared memory for the partial results of the warps of an attention block.
    __host__ __device__ unsigned scratch_bytes() const
    {
        return warps_per_block * heads_per_kv() * 132 * 4;
    }
    /// Bytes of shared memory for the input vector of a step, or for an attention block.
    __host__ __device__ unsigned vector_bytes() const
    {
        const unsigned vector = intermediate * 2;
        return ((vector > scratch_bytes() ? vector : scratch_bytes()) + 127) / 128 * 128;
    }
    /// Query heads per kv head.
    __host__ __device__ unsigned heads_per_kv() const { return heads / kv_heads; }
    /// The matrix of a step other than attention.
    __host__ __device__ Matrix matrix(Step step) const
    {
        switch (step) {
        case Step::qkv:
            return {qkv_weights, hidden, (heads + 2 * kv_heads) * 64, 64, true};
        case Step::out:
            return {out_weights, hidden, hidden, 0, false};
        case Step::gate_up:
            return {gate_up_weights, hidden, intermediate, intermediate, false};
        default:
            return {down_weights, intermediate, hidden, 0, false};
        }
    }
    /// The product of a step if nothing is fused: dot products for a separate kernel, or the sum
    /// with the residual stream.
    [[nodiscard]] Product product(Step step) const
    {
        const Matrix m = matrix(step);
        const unsigned rows = m.partner == 0 ? m.tasks : 2 * m.tasks;
        switch (step) {
        case Step::out:
            return {m.weights, attended, x, x1, rows, m.columns};
        case Step::down:
            return {m.weights, activated, x1, y, rows, m.columns};
        default:
            return {m.weights, normed, nullptr, sums, rows, m.columns};
        }
    }
};
