// 28_reduction: How fast can a GPU reduce an array?
//
// Sums, and the largest element with its index: every element is read once, and almost nothing is
// written. The kernels differ in how they combine the partial results of threads and blocks.
//
// operators.cuh    the operations: a sum, or the largest element with its index
// one_element.cuh  kernels with one element per thread
// grid_stride.cuh  persistent blocks, with many elements per thread
// last_block.cuh   the same, with partial results that the last block combines
// reduction.hpp    the array, the reference, and the error bound of a sum of floats

#include "last_block.cuh"
#include "reduction.hpp"

#include <algorithm>

//! [rows]
template<class Op>
void run_reduction(common::Chapter& chapter, std::size_t n, const char* result, Values values)
{
    using Value = typename Op::Value;
    Reduction<typename Op::Element, Value> p(chapter, result, n, values);
    constexpr bool of_words =
        std::is_same_v<Value, unsigned>; // the others need --full for most rows
    const bool equal = values == Values::equal;
    const auto row = [&](const char* name, unsigned loads, bool full) {
        return common::Variant{.name = name,
                               .columns = {{"result", result},
                                           {"values", equal ? "equal" : "random"},
                                           {"loads", loads}},
                               .full_only = equal || full};
    };
    // Most additions that an element goes through: in its thread, its block, and the last block.
    const auto additions = [n](std::size_t grid, unsigned block_threads, unsigned loads) {
        return n / (grid * block_threads) + 2 * loads + 20 + grid;
    };

    const auto run_one_element = [&](common::Variant variant, auto kernel, bool atomics) {
        const unsigned grid = common::blocks(n, threads);
        variant.threads = threads;
        variant.setup = [&] { p.expect(atomics ? n : additions(grid, threads, 1)); };
        chapter.run(variant, p, [&](cudaStream_t stream) {
            CHECK_CUDA(cudaMemsetAsync(p.c, 0, sizeof *p.c, stream));
            kernel<<<grid, threads, 0, stream>>>(p.a, p.c, n);
        });
    };
    // Grid: as many blocks as are resident at once, or fewer for a small array.
    const auto run_persistent = [&](common::Variant variant, unsigned loads, auto kernel,
                                    auto&... scratch) {
        unsigned grid = 0;
        variant.threads = persistent_threads;
        variant.setup = [&] {
            grid = std::min(common::blocks(n, std::size_t{persistent_threads} * 4 * loads),
                            common::persistent_grid_blocks(kernel, persistent_threads));
            p.expect(additions(grid, persistent_threads, loads));
        };
        chapter.run(variant, p, [&](cudaStream_t stream) {
            if (sizeof...(scratch) == 0) { // the kernel adds to c[0]
                CHECK_CUDA(cudaMemsetAsync(p.c, 0, sizeof *p.c, stream));
            }
            kernel<<<grid, persistent_threads, 0, stream>>>(p.a, p.c, n, scratch...);
        });
    };

    if (!equal) {
        common::Variant variant = row("atomic", 1, !of_words);
        variant.unavailable = p.unavailable_reason(n);
        // The time model leaves these rows out, and prints the reason.
        variant.model_excluded_reason =
            of_words ? "nvcc adds up first what a warp adds to one word" : "";
        run_one_element(variant, atomic<Op>, true);
        variant = row("shared_tree", 1, !of_words);
        variant.model_excluded_reason =
            "the model cannot tell how long a serialized access of a single lane is";
        run_one_element(variant, shared_tree<Op>, false);
        variant.name = "shuffles";
        run_one_element(variant, shuffles<Op>, false);
        run_persistent(row("grid_stride", 1, !of_words), 1, grid_stride<Op, 1>);
        run_persistent(row("grid_stride", 4, false), 4, grid_stride<Op, 4>);
    }
    run_persistent(row("last_block", 4, false), 4, last_block<Op, 4>, p.partials, p.blocks_done);

    // CUB's order is unknown: assume 4,096 additions, and one per 4,096 elements.
    const char* library = p.argmax ? "cub::DeviceReduce::ArgMax" : "cub::DeviceReduce::Sum";
    common::Variant variant = row(library, 0, false);
    variant.columns.pop_back(); // "loads", which CUB chooses
    variant.setup = [&] { p.expect(n / 4096 + 4096, true); };
    // Calls the function twice: for the size of the scratch memory, then for the work.
    common::run_with_scratch(chapter, p, variant,
                             [&](void* scratch, std::size_t& bytes, cudaStream_t stream) {
                                 if constexpr (sizeof(Value) == 8) {
                                     auto* out = reinterpret_cast<unsigned*>(p.c);
                                     common::cub_arg_max(scratch, bytes, p.a, out, n, stream);
                                 } else {
                                     common::cub_sum(scratch, bytes, p.a, p.c, n, stream);
                                 }
                             });
}
//! [rows]

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    for (std::size_t n : chapter.sizes({.gpu = {1 << 20, 1 << 24, (1 << 24) + 1009, 1 << 28},
                         .cpu = {1 << 20},
                         .default_sizes = {1 << 28},
                         .bytes_per_element = sizeof(float)})) {
        for (const Values values : {Values::random, Values::equal}) {
            run_reduction<Sum<unsigned, uint4>>(chapter, n, "sum of words", values);
            run_reduction<Sum<float, float4>>(chapter, n, "sum of floats", values);
            run_reduction<ArgMax>(chapter, n, "largest", values);
        }
    }
    return chapter.finish();
}
