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
    void operator()(const RowVariant& row, const Launch& launch) const;

  private:
    Chapter& chapter_;
    RowProblem& problem_;
};

} // namespace common
