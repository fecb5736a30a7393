/// \file
/// Rows that make one value of many, a chapter's own and the library's.
#pragma once

#include "common/device/attribute.hpp"
#include "common/device/libraries.hpp"
#include "common/problem/reduction.hpp"
#include "common/run/chapter.hpp"
#include "common/run/library_rows.hpp"

#include <algorithm>
#include <cstddef>
#include <type_traits>

namespace common {

/// A row of a reduction, as a chapter declares it.
struct ReductionRow
{
    const char* name;   ///< Variant::name
    unsigned threads;   ///< of a block
    unsigned fours = 0; ///< loads of four elements that a thread has on their way; 0: of one, once
    bool by_itself = false; ///< each element is joined with the result by itself
    bool full = false;      ///< Variant::full
};

/// What all rows of a problem have in common: whether --full is needed, and the columns `result`
/// and `values`.
template<class Op>
[[nodiscard]] Variant reduction_variant(const Reduction<Op>& problem)
{
    const bool equal = problem.values() == Values::equal;
    return {.name = {}, // is the caller's
            .columns = {{"result", problem.task()}, {"values", equal ? "equal" : "random"}},
            .full = equal};
}

/// Runs launch(grid, stream), and says before what it may be off by: where threads take fours, the
/// grid has as many blocks as are resident of the kernel, if there is work for so many.
template<class Op, class Kernel, class LaunchKernel>
void run_reduction_row(Chapter& chapter, Reduction<Op>& problem, const ReductionRow& row,
                       Kernel kernel, LaunchKernel launch)
{
    const unsigned loads = std::max(row.fours, 1u);
    unsigned grid = 0;
    Variant variant = reduction_variant(problem);
    variant.name = row.name;
    variant.threads = row.threads;
    variant.columns.push_back({"loads", loads});
    variant.full = variant.full || row.full;
    if (row.by_itself) {
        variant.unavailable = problem.obstacle(problem.n);
        if (std::is_same_v<typename Op::Value, unsigned>)
            variant.unmodelled = "nvcc adds up first what a warp adds to one word";
    } else if (row.fours == 0) {
        variant.unmodelled = "it cannot tell how long a turn of a single lane is";
    }
    variant.setup = [&] {
        const std::size_t at_once = row.fours > 0 ? 4 * row.fours : 1;
        grid = blocks(problem.n, row.threads * at_once);
        if (row.fours > 0)
            grid = std::min(grid, staying_blocks(kernel, row.threads));
        const std::size_t of_a_thread =
            problem.n / (std::size_t{grid} * row.threads) + 2 * std::size_t{loads};
        problem.expect(row.by_itself ? problem.n : of_a_thread + 20 + grid);
    };
    chapter.run(variant, problem, [&](cudaStream_t stream) { launch(grid, stream); });
}

/// A sum or the largest element: cub::DeviceReduce. In which order it adds is its own: floats are
/// held to the bound of 4,096 additions and one for 4,096 elements.
template<class Op>
void run_reduction_library(Chapter& chapter, Reduction<Op>& problem)
{
    Variant row = reduction_variant(problem);
    row.name = Reduction<Op>::largest ? "cub::DeviceReduce::ArgMax" : "cub::DeviceReduce::Sum";
    row.setup = [&] { problem.expect(problem.n / 4096 + 4096, true); };
    run_with_scratch(chapter, problem, row,
                     [&problem](void* scratch, std::size_t& bytes, cudaStream_t stream) {
                         if constexpr (Reduction<Op>::largest)
                             cub_arg_max(scratch, bytes, problem.a,
                                         reinterpret_cast<unsigned*>(problem.c), problem.n, stream);
                         else
                             cub_sum(scratch, bytes, problem.a, problem.c, problem.n, stream);
                     });
}

} // namespace common
