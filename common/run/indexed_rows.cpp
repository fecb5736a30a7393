#include "common/run/indexed_rows.hpp"

#include "common/device/check.hpp"

namespace common {

void run_rows(Chapter& chapter, IndexedRows& problem, const RowsRow& row,
              const std::function<void(cudaStream_t)>& launch)
{
    const bool adds = problem.does == RowTask::add_up;
    Variant variant{.name = row.name,
                    .threads = row.threads,
                    .columns = {{"result", result_of(problem.does)},
                                {"columns", problem.width / (adds ? 4 : 2)},
                                {"row_bytes", problem.width}},
                    .full = row.full};
    variant.unmodelled = row.unmodelled;
    if (adds)
        variant.unmodelled = row.clears ? "its launch begins with a memset"
                                        : "a sample of the warps need not have those of many rows";
    if (adds || problem.does == RowTask::look_up)
        variant.columns.push_back({"indices", name_of(problem.order)});
    chapter.run(variant, problem, [&](cudaStream_t stream) {
        if (row.clears)
            CHECK_CUDA(cudaMemsetAsync(problem.c<void>(), 0, problem.rows * problem.width, stream));
        launch(stream);
    });
}

} // namespace common
