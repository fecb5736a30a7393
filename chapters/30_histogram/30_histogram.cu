// 30_histogram: How fast can a GPU build a histogram?
//
// Every element is read once, and adds 1 to one of 256 counters. Additions to one counter are
// serialized: fast kernels keep counters in shared memory, and in several copies (privatization).
//
// global.cuh     one atomic in global memory per element
// for_each.cuh   how a thread of a persistent grid loads its elements
// copies.cuh     the layout of a block's counters in shared memory
// shared.cuh     the kernel that counts in shared memory
// histogram.hpp  the array, and how often each value occurs

#include "histogram.hpp"
#include "shared.cuh"

//! [rows]
template<class T>
void run_histogram(common::Chapter& chapter, std::size_t n, Spread spread)
{
    Histogram<T> p(chapter, n, spread);
    const auto row = [&](const char* name, unsigned threads, unsigned copies, bool full) {
        return common::Variant{.name = name,
                               .threads = threads,
                               .columns = {{"elements", sizeof(T) == 1 ? "bytes" : "words"},
                                           {"values", name_of(spread)},
                                           {"copies", copies}},
                               .full_only = full || spread == Spread::skewed};
    };
    const char* no_values = "the time depends on the values of the elements";

    if (sizeof(T) == 4) { // a GiB of bytes that are all equal would take a second
        common::Variant variant = row("global", 256, 0, spread != Spread::uniform);
        variant.model_excluded_reason = spread == Spread::equal ? "" : no_values;
        chapter.run(variant, p, [&](cudaStream_t stream) {
            CHECK_CUDA(cudaMemsetAsync(p.c, 0, bins * sizeof *p.c, stream));
            global<<<common::blocks(n, 256), 256, 0, stream>>>(p.a, p.c, n);
        });
    }

    // Persistent blocks, each of which counts at most `max_elements`. `increment` is 1.
    const auto run = [&](common::Variant variant, const char* model_excluded_reason, auto kernel,
                         auto increment, std::size_t max_elements) {
        unsigned grid = 0;
        variant.model_excluded_reason = model_excluded_reason;
        variant.setup = [&] {
            grid = std::min(common::blocks(n, persistent_threads * sizeof(uint4) / sizeof(T)),
                            common::persistent_grid_blocks(kernel, persistent_threads));
            grid = std::max(grid, common::blocks(n, max_elements));
        };
        chapter.run(variant, p, [&](cudaStream_t stream) {
            CHECK_CUDA(cudaMemsetAsync(p.c, 0, bins * sizeof *p.c, stream));
            kernel<<<grid, persistent_threads, 0, stream>>>(p.a, p.c, n, increment);
        });
    };
    run(row("per_block", persistent_threads, 1, false), no_values, shared<T, Block, One>, One{}, n);
    run(row("per_warp", persistent_threads, 32, false), no_values, shared<T, Warp, One>, One{}, n);
    run(row("per_lane", persistent_threads, 32, false), "", shared<T, Lane, One>, One{}, n);
    run(row("packed", persistent_threads, 32, false),
        "the model does not count the instructions of packing", shared<T, Packed, One>, One{},
        16 * Packed::max_count); // half: blocks may differ
    // The increment is a 1 that the compiler does not know.
    const char* known = "the model assumes increments by a known 1, which share an access";
    run(row("per_block_weighted", persistent_threads, 1, true), known, shared<T, Block, unsigned>,
        1, n);
    run(row("per_lane_weighted", persistent_threads, 32, true), known, shared<T, Lane, unsigned>, 1,
        n);

    common::Variant library = row("cub::DeviceHistogram::HistogramEven", 0, 0, false);
    library.columns.pop_back(); // its copies are its own
    common::run_with_scratch(chapter, p, library,
                             [&](void* scratch, std::size_t& bytes, cudaStream_t stream) {
                                 common::cub_histogram(scratch, bytes, p.a, p.c, n, p.bits, stream);
                             });
}
//! [rows]

template<class T>
void run_sizes(common::Chapter& chapter)
{
    constexpr std::size_t mib = (std::size_t{1} << 20) / sizeof(T);
    for (std::size_t n : chapter.sizes({.gpu = {mib, 16 * mib, 16 * mib + 1009, 1024 * mib},
                         .cpu = {mib},
                         .default_sizes = {1024 * mib},
                         .bytes_per_element = sizeof(T)})) {
        run_histogram<T>(chapter, n, Spread::uniform);
        run_histogram<T>(chapter, n, Spread::skewed);
        run_histogram<T>(chapter, n, Spread::equal);
    }
}

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    run_sizes<std::uint8_t>(chapter);
    run_sizes<unsigned>(chapter);
    return chapter.finish();
}
