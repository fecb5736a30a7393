#include "common/run/library_rows.hpp"

// A file of its own: only the chapter that calls it is linked with cuBLAS.

namespace common {

void run_transpose_library(Chapter& chapter, Arrays<float>& problem, std::size_t rows,
                           std::size_t columns)
{
    const Variant variant{
        .name = "cublasSgeam",
        .columns = {{"rows", rows}, {"columns", columns}},
        .unavailable = [] { return cublas_available() ? "" : "built without cuBLAS"; }};
    chapter.run_library(variant, problem, [=, &problem](cudaStream_t stream) {
        cublas_transpose(problem.a, problem.c, rows, columns, stream);
    });
}

} // namespace common
