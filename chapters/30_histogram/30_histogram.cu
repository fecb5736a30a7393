// 30_histogram: How fast can a GPU build a histogram?
//
// Every element is read once, and each adds 1 to one of 256 counters. Where many threads add to few
// counters they are serialized: counters have to be where serialized accesses are short, and apart
// from each other.
//
// global.cuh     an atomic in global memory for each element
// share.cuh      the elements of a thread where it has many, and its loads
// copies.cuh     where in shared memory a block has its counters
// shared.cuh     the kernel that counts in them
// histogram.hpp  the array, and how often each value occurs

#include "histogram.hpp"
#include "shared.cuh"

//! [rows]
template<class T>
void run_histogram(common::Chapter& chapter, std::size_t n, Spread spread)
{
    Histogram<T> p(chapter, n, spread);
    const auto row = [&](const char* name, unsigned block_size, unsigned copies, bool full) {
        return common::Variant{.name = name,
                               .threads = block_size,
                               .columns = {{"elements", sizeof(T) == 1 ? "bytes" : "words"},
                                           {"values", name_of(spread)},
                                           {"copies", copies}},
                               .full = full || spread == Spread::skewed};
    };
    const char* turns = "its sample of the blocks has no values";

    if (sizeof(T) == 4) { // a GiB of bytes that are all equal would take a second
        common::Variant variant = row("global", 256, 0, spread != Spread::uniform);
        variant.model_excluded_reason = spread == Spread::equal ? "" : turns;
        chapter.run(variant, p, [&](cudaStream_t stream) {
            CHECK_CUDA(cudaMemsetAsync(p.c, 0, bins * sizeof *p.c, stream));
            global<<<common::blocks(n, 256), 256, 0, stream>>>(p.a, p.c, n);
        });
    }

    // Persistent blocks, each of which counts `most` elements at most. `added` is 1.
    const auto run = [&](common::Variant variant, const char* model_excluded_reason, auto kernel,
                         auto added, std::size_t most) {
        unsigned grid = 0;
        variant.model_excluded_reason = model_excluded_reason;
        variant.setup = [&] {
            grid = std::min(common::blocks(n, block * sizeof(uint4) / sizeof(T)),
                            common::persistent_grid_blocks(kernel, block));
            grid = std::max(grid, common::blocks(n, most));
        };
        chapter.run(variant, p, [&](cudaStream_t stream) {
            CHECK_CUDA(cudaMemsetAsync(p.c, 0, bins * sizeof *p.c, stream));
            kernel<<<grid, block, 0, stream>>>(p.a, p.c, n, added);
        });
    };
    run(row("per_block", block, 1, false), turns, shared<T, Block, One>, One{}, n);
    run(row("per_warp", block, 32, false), turns, shared<T, Warp, One>, One{}, n);
    run(row("per_lane", block, 32, false), "", shared<T, Lane, One>, One{}, n);
    run(row("packed", block, 32, false), "packing takes instructions, which it does not count",
        shared<T, Packed, One>, One{}, 16 * Packed::most); // half: blocks' shares may differ
    // What is added is a 1 that the compiler does not know.
    const char* known =
        "lanes that access one word share a serialized access only where each adds a known 1";
    run(row("per_block_weighted", block, 1, true), known, shared<T, Block, unsigned>, 1, n);
    run(row("per_lane_weighted", block, 32, true), known, shared<T, Lane, unsigned>, 1, n);

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
                         .usual = {1024 * mib},
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
