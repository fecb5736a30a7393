// 39_decoder_layer: How fast can a GPU compute one layer of a language model, for one token?
//
// Every weight of the layer is read once for each token that the model writes: the memory decides.
// From a thread a row to one kernel that stays, by one lesson of an earlier chapter at a time.

#include "common/kernels.hpp"

using common::bf16;
using common::DecoderLayer;
using common::Step;

//! [thread_a_row]
__global__ void norm(DecoderLayer layer, const float* x, const bf16* g)
{
    common::norm(layer, x, g, layer.normed);
}

__global__ void rows_by_threads(common::Product p)
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
    common::store_qkv(layer, task, layer.sums[row], layer.sums[row + 64]);
}

__global__ void attend(DecoderLayer layer)
{
    extern __shared__ float weights[];
    common::attend_head(layer, blockIdx.x, weights);
}

__global__ void activate(DecoderLayer layer)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    layer.activated[i] = common::activate(layer.sums[i], layer.sums[layer.intermediate + i]);
}
//! [thread_a_row]

//! [warp_a_row]
__global__ void __launch_bounds__(256) rows_by_warps(common::Product p)
{
    extern __shared__ __align__(16) bf16 x[];
    const unsigned row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    common::Row products(p.weights + std::size_t{row} * p.columns, p.columns);
    common::copy(x, p.x, p.columns);
    common::store(p.y, p.add, row, products.dot(x));
}
//! [warp_a_row]

//! [fused]
// A norm, two rows a warp, and what becomes of their sums.
template<Step step>
__global__ void __launch_bounds__(256, 2) fused(DecoderLayer layer)
{
    extern __shared__ __align__(16) bf16 normed[];
    constexpr bool qkv = step == Step::qkv;
    const common::Matrix matrix = layer.matrix(step);
    const unsigned task = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const bf16* row = matrix.weights + std::size_t{matrix.row(task)} * matrix.columns;
    common::Row a(row, matrix.columns); // on their way while the norm is made
    common::Row b(row + std::size_t{matrix.partner} * matrix.columns, matrix.columns);
    common::norm(layer, qkv ? layer.x : layer.x1, qkv ? layer.norm1 : layer.norm2, normed);
    common::store<step>(layer, task, a.dot(normed), b.dot(normed));
}
//! [fused]

//! [split_attention]
__global__ void split_attention(DecoderLayer layer)
{
    extern __shared__ float scratch[];
    const auto tokens = layer.tokens_of(blockIdx.x * DecoderLayer::warps + threadIdx.x / 32);
    common::attend_part(layer, blockIdx.x, layer.keys + tokens.at, layer.values + tokens.at,
                        tokens.count, scratch);
}
//! [split_attention]

#ifdef __CUDACC__ // the CPU device has no bulk copy engine: the row says "GPU only"
#include <cooperative_groups.h>
//! [one_kernel]
__global__ void __launch_bounds__(DecoderLayer::block, 1)
    one_kernel(const __grid_constant__ DecoderLayer layer)
{
#if __CUDA_ARCH__ >= 900
    extern __shared__ __align__(128) unsigned char room[];
    auto* x = reinterpret_cast<bf16*>(room); // what a step multiplies with
    common::WeightRing ring(layer, room + layer.vector_bytes());
    const auto grid = cooperative_groups::this_grid();
    common::norm(layer, layer.x, layer.norm1, x);
    ring.each_task(Step::qkv, [&](unsigned task) {
        const float a = ring.dot(x, layer.hidden);
        common::store<Step::qkv>(layer, task, a, ring.dot(x, layer.hidden));
    });
    grid.sync();
    ring.each_task(Step::attention, [&](unsigned task) {
        ring.take_last_token(task);
        common::attend_part(layer, task / DecoderLayer::warps, ring.wait(), ring.wait(1),
                            layer.tokens_of(task).count, reinterpret_cast<float*>(x));
        ring.release();
        ring.release();
    });
    grid.sync();
    common::copy(x, layer.attended, layer.hidden);
    ring.each_task(Step::out, [&](unsigned row) {
        common::store(layer.x1, layer.x, row, ring.dot(x, layer.hidden));
    });
    grid.sync();
    common::norm(layer, layer.x1, layer.norm2, x);
    ring.each_task(Step::gate_up, [&](unsigned task) {
        const float gate = ring.dot(x, layer.hidden);
        common::store<Step::gate_up>(layer, task, gate, ring.dot(x, layer.hidden));
    });
    grid.sync();
    common::copy(x, layer.activated, layer.intermediate);
    ring.each_task(Step::down, [&](unsigned row) {
        common::store(layer.y, layer.x1, row, ring.dot(x, layer.intermediate));
    });
#endif
}
//! [one_kernel]
#else
void one_kernel(DecoderLayer) {}
#endif

//! [rows]
void run_layer(common::Chapter& chapter, std::size_t n)
{
    common::DecoderProblem p(chapter, n);
    DecoderLayer& layer = p.layer;
    const auto threads = [&](Step step, cudaStream_t stream) {
        const common::Product product = layer.product(step);
        rows_by_threads<<<common::blocks(product.rows, 128), 128, 0, stream>>>(product);
    };
    const auto warps = [&](Step step, cudaStream_t stream) {
        const common::Product product = layer.product(step);
        rows_by_warps<<<product.rows / 8, 256, product.x_bytes(), stream>>>(product);
    };
    const auto heads = [&](cudaStream_t stream) {
        attend<<<layer.heads, 256, layer.tokens * sizeof(float), stream>>>(layer);
    };
    const auto parts = [&](cudaStream_t stream) {
        split_attention<<<layer.blocks(), layer.block, layer.scratch_bytes(), stream>>>(layer);
    };
    const auto nine = [&](auto by) {
        return [&, by](cudaStream_t stream) {
            norm<<<1, 256, 0, stream>>>(layer, layer.x, layer.norm1);
            by(Step::qkv, stream);
            rotate<<<layer.matrix(Step::qkv).tasks / 64, 64, 0, stream>>>(layer);
            heads(stream);
            by(Step::out, stream);
            norm<<<1, 256, 0, stream>>>(layer, layer.x1, layer.norm2);
            by(Step::gate_up, stream);
            activate<<<layer.intermediate / 64, 64, 0, stream>>>(layer);
            by(Step::down, stream);
        };
    };
    const auto five = [&](auto attention) {
        return [&, attention](cudaStream_t stream) {
            const std::size_t shared = layer.hidden * sizeof(bf16);
            fused<Step::qkv><<<layer.matrix(Step::qkv).tasks / 8, 256, shared, stream>>>(layer);
            attention(stream);
            warps(Step::out, stream);
            fused<Step::gate_up><<<layer.intermediate / 8, 256, shared, stream>>>(layer);
            warps(Step::down, stream);
        };
    };
    common::DecoderRows rows(chapter, p);
    rows.run({.name = "thread_a_row", .launches = 9, .by_threads = true}, nine(threads));
    rows.run({.name = "warp_a_row", .lesson = "32", .launches = 9}, nine(warps));
    rows.run({.name = "fused", .lesson = "33", .launches = 5}, five(heads));
    rows.run({.name = "split_attention", .lesson = "28", .launches = 5, .splits = true},
             five(parts));
    rows.run_graph({.name = "graph", .lesson = "37", .launches = 5, .splits = true}, five(parts));
    rows.run_one({.name = "one_kernel", .lesson = "26", .splits = true}, one_kernel);
}
//! [rows]

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    for (std::size_t n : chapter.sizes({.gpu = {1 << 24, (1 << 24) + 1009, 1 << 28},
                         .cpu = {1 << 20},
                         .usual = {1 << 28},
                         .bytes_per_element = 2})) {
        run_layer(chapter, n);
    }
    return chapter.finish();
}
