/// \file
/// Rows that count values, a chapter's own and the library's.
#pragma once

#include "common/device/attribute.hpp"
#include "common/device/libraries.hpp"
#include "common/problem/histogram.hpp"
#include "common/run/chapter.hpp"
#include "common/run/library_rows.hpp"

#include <algorithm>
#include <cstddef>

namespace common {

/// A row of a histogram, as a chapter declares it.
struct HistogramRow
{
    const char* name;      ///< Variant::name
    unsigned threads;      ///< of a block
    unsigned copies = 0;   ///< of the counters that a block has; 0: it has none, and does not stay
    bool apart = false;    ///< whether lanes of a warp never want one bank, whatever the values are
    unsigned most = 0;     ///< elements that a block can count; 0: as many as there are
    bool weighted = false; ///< whether what is added is not known to be 1
    bool full = false;     ///< Variant::full
};

/// What all rows of a problem have in common: the columns `elements` and `values`.
template<class T>
[[nodiscard]] Variant histogram_variant(const Histogram<T>& problem)
{
    return {.name = {}, // is the caller's
            .columns = {{"elements", sizeof(T) == 1 ? "bytes" : "words"},
                        {"values", name_of(problem.spread())}},
            .full = problem.spread() == Spread::skewed};
}

/// Runs launch(grid, stream). A block that has counters stays: there are as many as are resident of
/// the kernel, if each thread of them has 16 bytes to read. Others have a thread for each element.
template<class T, class Kernel, class LaunchKernel>
void run_histogram_row(Chapter& chapter, Histogram<T>& problem, const HistogramRow& row,
                       Kernel kernel, LaunchKernel launch)
{
    unsigned grid = 0;
    Variant variant = histogram_variant(problem);
    variant.name = row.name;
    variant.threads = row.threads;
    variant.columns.push_back({"copies", row.copies});
    variant.full = variant.full || row.full || row.weighted;
    if (row.weighted)
        variant.unmodelled = "lanes that want one word share a turn only where each adds a known 1";
    else if (row.most > 0)
        variant.unmodelled = "packing takes instructions, which it does not count";
    else if (!row.apart && (row.copies > 0 || problem.spread() != Spread::equal))
        variant.unmodelled =
            "turns depend on the values, and its sample of the blocks has no values";
    variant.setup = [&] {
        const std::size_t at_once = row.copies > 0 ? 16 / sizeof(T) : 1;
        grid = blocks(problem.n, row.threads * at_once);
        if (row.copies > 0)
            grid = std::min(grid, staying_blocks(kernel, row.threads));
        if (row.most > 0)
            grid = std::max(grid, blocks(problem.n, row.most / 2)); // their shares may differ
    };
    chapter.run(variant, problem, [&](cudaStream_t stream) {
        CHECK_CUDA(cudaMemsetAsync(problem.c, 0, problem.bins * sizeof *problem.c, stream));
        launch(grid, stream);
    });
}

/// A histogram by cub::DeviceHistogram, with the columns of `row`.
template<class T>
void run_histogram_library(Chapter& chapter, Histogram<T>& problem, Variant row)
{
    row.name = "cub::DeviceHistogram::HistogramEven";
    run_with_scratch(
        chapter, problem, row, [&problem](void* scratch, std::size_t& bytes, cudaStream_t stream) {
            cub_histogram(scratch, bytes, problem.a, problem.c, problem.n, problem.bits, stream);
        });
}

} // namespace common
