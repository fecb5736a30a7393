// 39_decoder_layer: How fast can a GPU decode one token through one layer?
//
// Every weight of the layer is read once per generated token, so memory bandwidth is the limit. Six
// versions lead from one thread per row to one persistent kernel, each by an earlier chapter's
// lesson.
//
// layer.hpp         the matrices and vectors of a layer
// norm_block.cuh    RMSNorm by one block, with the reductions of reduce_block.cuh
// row.cuh           the dot product of a row, by one warp
// store.cuh         rotation, SiLU and residual additions, and the stores
// attend_head.cuh   attention, one block per head
// attend_part.cuh   attention, the tokens of a head split over blocks
// steps.cuh         kernels of one step each, and fused ones
// weight_ring.cuh   weights in flight across barriers
// one_kernel.cuh    the whole layer
// reference.hpp     every step in double; decoder_problem.hpp  the arrays

#include "../37_small_kernels/graph.cuh"
#include "common/chapter.hpp"
#include "decoder_problem.hpp"
#include "one_kernel.cuh"
#include "steps.cuh"

//! [rows]
void run_layer(common::Chapter& chapter, std::size_t n)
{
    DecoderProblem p(chapter, n);
    DecoderLayer& layer = p.layer;
    const auto threads = [&](Step step, cudaStream_t stream) {
        const Product product = layer.product(step);
        rows_by_threads<<<common::blocks(product.rows, 128), 128, 0, stream>>>(product);
    };
    const auto warps = [&](Step step, cudaStream_t stream) {
        const Product product = layer.product(step);
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
    // At most so many additions per term. In a row: a lane's share, rounded up, 8 products, and 5
    // shuffles. In split attention: 8 products and 4 shuffles per score; per token those of a warp,
    // of a block and of all parts.
    const unsigned of_warp = layer.intermediate / 32 + 13;
    const Additions by_threads{layer.intermediate, layer.head, layer.tokens};
    const Additions by_warps{of_warp, layer.head, layer.tokens};
    const Additions in_parts{of_warp, 8 + 4, layer.unit / 2 + 1 + layer.warps + layer.parts()};
    const auto row = [&](const char* name, const char* lesson, unsigned launches,
                         const Additions& additions) {
        return common::Variant{.name = name,
                               .columns = {{"lesson", lesson}, {"launches", launches}},
                               .setup = [&p, additions] { p.expect(additions); }};
    };
    chapter.run(row("thread_per_row", "none", 9, by_threads), p, nine(threads));
    chapter.run(row("warp_per_row", "32", 9, by_warps), p, nine(warps));
    chapter.run(row("fused", "33", 5, by_warps), p, five(heads));
    chapter.run(row("split_attention", "28", 5, in_parts), p, five(parts));
    chapter.run(row("graph", "37", 5, in_parts), p, captured(five(parts)));
    const auto grid = [] { return common::attribute(cudaDevAttrMultiProcessorCount); };
    const auto room = [&] { // bytes of shared memory: the input, the ring, and sums of a block
        const std::size_t sums = 2 * sizeof(float) * common::blocks(layer.intermediate, grid());
        return layer.vector_bytes() + ring_bytes + sums;
    };
    common::Variant one = row("one_kernel", "26", 1, in_parts);
    one.unavailable = [&] { return common::needs_compute_capability(9, room())(); };
    one.setup = [&, expect = one.setup] {
        expect();
        CHECK_CUDA(cudaFuncSetAttribute(one_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        static_cast<int>(room())));
    };
    chapter.run(one, p, [&](cudaStream_t stream) {
        void* arguments[] = {&layer};
        CHECK_CUDA(cudaLaunchCooperativeKernel(one_kernel, grid(), dim3(DecoderLayer::block),
                                               arguments, room(), stream));
    });
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
