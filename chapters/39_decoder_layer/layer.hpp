/// \file
/// A decoder layer as kernels see it: its matrices, its vectors, and the steps that use them. All
/// matrices are row-major; sizes in brackets are in elements.
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstddef>

using bf16 = __nv_bfloat16; ///< of weights, keys and values

/// The steps of a layer that read weights or the cache, in their order.
enum class Step : unsigned
{
    qkv,       ///< queries, and the token's keys and values
    attention, ///< of the queries over the keys and values of all tokens
    out,       ///< the output projection, added to the input
    gate_up,   ///< gate and up projection, at once
    down,      ///< the down projection, added to x1
    end        ///< no step
};

/// A row-major matrix of bfloat16. A task is a row; or, where `partner` is not 0, a row and the one
/// `partner` rows after it.
struct Matrix
{
    const bf16* weights; ///< row after row
    unsigned columns;    ///< of a row
    unsigned tasks;      ///< rows, or pairs of them
    unsigned partner;    ///< rows from a task's first row to its second, or 0
    bool rotated;        ///< first rows are 0 to 63 of each head of 128

    /// The first row of a task.
    __host__ __device__ unsigned row(unsigned task) const
    {
        return rotated ? task + task / 64 * 64 : task;
    }
};

/// A matrix times a vector: y = weights x, or add + weights x where there is something to add.
struct Product
{
    const bf16* weights; ///< row after row
    const bf16* x;       ///< the vector
    const float* add;    ///< to the result, or null
    float* y;            ///< the result
    unsigned rows;       ///< of the matrix
    unsigned columns;    ///< of a row

    /// Bytes of x.
    [[nodiscard]] std::size_t x_bytes() const { return columns * sizeof(bf16); }
};

/// The tokens of a warp in split attention.
struct Tokens
{
    std::size_t offset; ///< element of keys and values where the first begins
    unsigned count;     ///< tokens
};

/// A layer as kernels see it. All vectors and matrices begin at multiples of 256 bytes.
struct DecoderLayer
{
    static constexpr unsigned head = 128;        ///< elements of a head
    static constexpr unsigned max_hidden = 4096; ///< of `hidden`

    unsigned hidden;             ///< elements of the residual stream, a power of two of 128 or more
    unsigned intermediate;       ///< 3.5 times as many
    unsigned heads;              ///< of queries: hidden / 128
    unsigned kv_heads;           ///< of keys and values: a quarter of them, at least 1
    unsigned tokens;             ///< in the cache; the last is the new one
    const bf16* qkv_weights;     ///< [(heads + 2 kv_heads) 128][hidden]
    const bf16* out_weights;     ///< [hidden][hidden]
    const bf16* gate_up_weights; ///< [2 intermediate][hidden]: those of the gate first
    const bf16* down_weights;    ///< [hidden][intermediate]
    const bf16* norm1;           ///< [hidden]: of the norm before attention
    const bf16* norm2;           ///< [hidden]: of the one after it
    const float2* rotation;      ///< [64]: cosine and sine of the token's angles
    const float* x;              ///< [hidden]: the token
    bf16* q;                     ///< [heads][128]: queries, rotated, divided by sqrt(128)
    bf16* keys;                  ///< [kv_heads][tokens][128]: the cache, the last token unwritten
    bf16* values;                ///< likewise
    bf16* attended;              ///< [heads][128]
    float* x1;                   ///< [hidden]: x, and what attention adds
    bf16* activated;             ///< [intermediate]
    float* y;                    ///< [hidden]: x1, and what the rest of the layer adds
    bf16* normed;                ///< [hidden]: space for a norm
    float* sums;                 ///< [2 intermediate]: space for sums of rows
    float* partials;             ///< [heads][parts()][132]: space for parts of attention
    unsigned*
        counters; ///< [kv_heads + 1]: finished parts, 0 after each launch; grid_barrier()'s word

    static constexpr unsigned warps_per_block = 16;           ///< of split attention
    static constexpr unsigned threads = 32 * warps_per_block; ///< per block of split attention
    static constexpr unsigned tokens_per_warp = 16;
    static constexpr unsigned tokens_per_block = warps_per_block * tokens_per_warp;
    /// Parts into which the tokens of a kv head are split, one block each.
    __host__ __device__ unsigned parts() const
    {
        return (tokens + tokens_per_block - 1) / tokens_per_block;
    }
    /// Blocks of split attention, for all kv heads.
    __host__ __device__ unsigned attention_blocks() const { return kv_heads * parts(); }
    /// The tokens of warp `warp` of the grid, whose blocks take one kv head after another.
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
    /// Bytes of shared memory that a block of split attention needs: partial results of its warps.
    __host__ __device__ unsigned scratch_bytes() const
    {
        return warps_per_block * heads_per_kv() * 132 * 4;
    }
    /// Bytes of shared memory for a step's input vector, or for a block of attention.
    __host__ __device__ unsigned vector_bytes() const
    {
        const unsigned vector = intermediate * 2;
        return ((vector > scratch_bytes() ? vector : scratch_bytes()) + 127) / 128 * 128;
    }
    /// Query heads per kv head.
    __host__ __device__ unsigned heads_per_kv() const { return heads / kv_heads; }
    /// The matrix of a step that has one.
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
    /// The product of a step where nothing is fused: sums for a separate kernel, or the addition
    /// to the residual stream.
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
