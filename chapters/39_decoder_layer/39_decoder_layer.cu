// 39_decoder_layer: How fast can a GPU decode one token through one layer?
//
// Every weight of the layer is read once per generated token, so memory bandwidth is the limit. Six
// versions lead from one thread per row to one persistent kernel, each by an earlier chapter's
// lesson.
//
// layer.hpp        the matrices and vectors of a layer
// bf16.cuh         eight bf16 values per load; reductions.cuh  over lanes and blocks
// norm_block.cuh   RMSNorm by one block
// row.cuh          the dot product of a row, by one warp
// store.cuh        rotation, SiLU and residual additions, and the stores
// attend_head.cuh  attention, one block per head
// attend_part.cuh  attention, the tokens of a head split over blocks
// steps.cuh        kernels of one step each, and fused ones
// weight_ring.cuh  weights in flight across grid barriers
// one_kernel.cuh   the whole layer
// reference.hpp    every step in double; decoder_problem.hpp  the arrays
// rounded_floats.hpp  arrays and tolerances of the exercises

// captured_graph(work): captures what `work` launches as a CUDA graph, and launches the graph.
#include "../37_small_kernels/graph.cuh"
#include "common/chapter.hpp"
#include "decoder_problem.hpp"
#include "one_kernel.cuh"
#include "steps.cuh"

void run_layer(common::Chapter& chapter, std::size_t n)
{
    DecoderProblem p(chapter, n);
    DecoderLayer& layer = p.layer;
    const auto thread_per_row = [&](Step step, cudaStream_t stream) {
        const Product product = layer.product(step);
        rows_by_threads<<<common::blocks(product.rows, 128), 128, 0, stream>>>(product);
    };
    const auto warp_per_row = [&](Step step, cudaStream_t stream) {
        const Product product = layer.product(step);
        rows_by_warps<<<product.rows / 8, 256, product.x_bytes(), stream>>>(product);
    };
    const auto attention = [&](cudaStream_t stream) {
        attend<<<layer.heads, 256, layer.tokens * sizeof(float), stream>>>(layer);
    };
    const auto attention_in_parts = [&](cudaStream_t stream) {
        const unsigned blocks = layer.attention_blocks();
        split_attention<<<blocks, DecoderLayer::threads, layer.scratch_bytes(), stream>>>(layer);
    };
    //! [launches]
    const auto nine_launches = [&](auto multiply) {
        return [&, multiply](cudaStream_t stream) {
            norm<<<1, 256, 0, stream>>>(layer, layer.x, layer.norm1);
            multiply(Step::qkv, stream);
            rotate<<<layer.matrix(Step::qkv).tasks / 64, 64, 0, stream>>>(layer);
            attention(stream);
            multiply(Step::out, stream);
            norm<<<1, 256, 0, stream>>>(layer, layer.x1, layer.norm2);
            multiply(Step::gate_up, stream);
            activate<<<layer.intermediate / 64, 64, 0, stream>>>(layer);
            multiply(Step::down, stream);
        };
    };
    const auto five_launches = [&](auto attend_all) {
        return [&, attend_all](cudaStream_t stream) {
            const std::size_t shared = layer.hidden * sizeof(bf16);
            fused<Step::qkv><<<layer.matrix(Step::qkv).tasks / 8, 256, shared, stream>>>(layer);
            attend_all(stream);
            warp_per_row(Step::out, stream);
            fused<Step::gate_up><<<layer.intermediate / 8, 256, shared, stream>>>(layer);
            warp_per_row(Step::down, stream);
        };
    };
    //! [launches]
    // Most additions that a term goes through, for the error bound. In a row: a lane's elements,
    // rounded up, 8 products and 5 shuffles. In split attention: 8 products and 4 shuffles per
    // score; then the tokens of half a warp, the warps of a block, and all parts.
    const unsigned warp_additions = layer.intermediate / 32 + 13;
    const Additions by_threads{layer.intermediate, layer.head, layer.tokens};
    const Additions by_warps{warp_additions, layer.head, layer.tokens};
    const Additions in_parts{warp_additions, 8 + 4,
                             layer.tokens_per_warp / 2 + 1 + layer.warps_per_block + layer.parts()};
    const auto row = [&](const char* name, const char* lesson, unsigned launches,
                         const Additions& additions) {
        return common::Variant{.name = name,
                               .columns = {{"lesson", lesson}, {"launches", launches}},
                               .setup = [&p, additions] { p.expect(additions); }};
    };
    chapter.run(row("thread_per_row", "none", 9, by_threads), p, nine_launches(thread_per_row));
    chapter.run(row("warp_per_row", "32", 9, by_warps), p, nine_launches(warp_per_row));
    chapter.run(row("fused", "33", 5, by_warps), p, five_launches(attention));
    chapter.run(row("split_attention", "28", 5, in_parts), p, five_launches(attention_in_parts));
    chapter.run(row("graph", "37", 5, in_parts), p,
                captured_graph(five_launches(attention_in_parts)));
    const auto grid = [] { return common::attribute(cudaDevAttrMultiProcessorCount); };
    const auto shared_bytes = [&] { // the input of a step, the ring, and the sums of a block's rows
        const std::size_t sums = 2 * sizeof(float) * common::blocks(layer.intermediate, grid());
        return layer.vector_bytes() + ring_bytes + sums;
    };
    common::Variant one = row("one_kernel", "26", 1, in_parts);
    one.unavailable = [&] { return common::needs_compute_capability(9, shared_bytes())(); };
    one.setup = [&, expect = one.setup] {
        expect();
        CHECK_CUDA(cudaFuncSetAttribute(one_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        static_cast<int>(shared_bytes())));
    };
    chapter.run(one, p, [&](cudaStream_t stream) {
        void* arguments[] = {&layer};
        CHECK_CUDA(cudaLaunchCooperativeKernel(one_kernel, grid(), dim3(DecoderLayer::threads),
                                               arguments, shared_bytes(), stream));
    });
}

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    for (std::size_t n : chapter.sizes({.gpu = {1 << 24, (1 << 24) + 1009, 1 << 28},
                         .cpu = {1 << 20},
                         .default_sizes = {1 << 28},
                         .bytes_per_element = 2})) {
        run_layer(chapter, n);
    }
    return chapter.finish();
}
