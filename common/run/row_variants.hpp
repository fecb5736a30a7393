/// \file
/// Rows of a table whose kernels work on rows of a matrix.
#pragma once

#include "common/problem/row_problem.hpp"
#include "common/run/chapter.hpp"

namespace common {

/// One of them, as a chapter declares it.
struct RowVariant
{
    const char* name;             ///< Variant::name
    unsigned threads;             ///< of a block
    unsigned a_row = 0;           ///< threads that share a row; 0: those of a block
    bool through_bfloats = false; ///< as RowProblem::expect() has it
    bool one_element = false;     ///< a thread loads no more of them at a time
    bool full = false;            ///< Variant::full
};

/// Declares the rows of a problem: `run({.name = "in_shared", .threads = 128}, launch)`.
class RowVariants
{
  public:
    /// Keeps references to both.
    RowVariants(Chapter& chapter, RowProblem& problem) : chapter_(chapter), problem_(problem) {}

    /// Runs launch(stream), and says before how many additions a sum has seen.
    void operator()(const RowVariant& row, const Launch& launch) const
    {
        const unsigned a_row = row.a_row > 0 ? row.a_row : row.threads;
        Variant variant{.name = row.name,
                        .threads = row.threads,
                        .columns = {{"result", problem_.task()},
                                    {"columns", problem_.shape.columns},
                                    {"threads_a_row", a_row}},
                        // Its instructions take longest: with those for e^x half as long again.
                        .unmodelled =
                            problem_.task() == "softmax" ? "no e^x is in it"
                            : row.one_element
                                ? "the instructions for one element at a time are not in it"
                                : "",
                        .full = row.full};
        // A thread's share, eight elements at a time; the lanes of a warp; the warps.
        variant.setup = [&, a_row, through = row.through_bfloats] {
            problem_.expect(problem_.shape.width / a_row + 8 + 5 + a_row / 32, through);
        };
        chapter_.run(variant, problem_, launch);
    }

  private:
    Chapter& chapter_;
    RowProblem& problem_;
};

} // namespace common
