/// \file
/// Rows of a chapter whose kernels move rows of a table.
#pragma once

#include "common/problem/indexed_rows.hpp"
#include "common/run/chapter.hpp"

#include <functional>

namespace common {

/// A row that moves or adds up rows, as a chapter declares it.
struct RowsRow
{
    const char* name;            ///< Variant::name
    unsigned threads = 0;        ///< of a block
    const char* unmodelled = ""; ///< Variant::unmodelled
    bool clears = false; ///< whether `c` has to be 0 before the launch, which is in the time
    bool full = false;   ///< Variant::full
};

/// What a task is called in the column `result`.
[[nodiscard]] constexpr const char* result_of(RowTask task)
{
    return task == RowTask::look_up  ? "gathered rows"
           : task == RowTask::read   ? "read from pages"
           : task == RowTask::append ? "appended to pages"
                                     : "summed rows";
}

/// Runs launch(stream), with the columns `result`, `columns`, the elements of a row, `row_bytes`
/// and, where rows have indices, their order.
void run_rows(Chapter& chapter, IndexedRows& problem, const RowsRow& row,
              const std::function<void(cudaStream_t)>& launch);

} // namespace common
