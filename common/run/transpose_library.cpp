#include "common/device/libraries.hpp"
#include "common/run/chapter.hpp"

// A file of its own: only the chapter that calls it is linked with cuBLAS.

namespace common {

void run_transpose_library(Chapter& chapter, Problem& problem, const float* a, float* c,
                           std::size_t rows, std::size_t columns,
                           const std::vector<Parameter>& parameters)
{
    const Variant variant{"cublasSgeam", 0, parameters};
    // On the CPU device run_library() adds a row that says so.
    if (backend() == Backend::gpu && !cublas_available()) {
        chapter.unavailable(variant, problem.size(), "built without cuBLAS");
        return;
    }
    chapter.run_library(variant, problem, [=](cudaStream_t stream) {
        cublas_transpose(a, c, rows, columns, stream);
    });
}

} // namespace common
