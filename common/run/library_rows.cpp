#include "common/run/library_rows.hpp"

#include "common/device/device.hpp"

namespace common {

Variant device_transform(const std::vector<Column>& columns, bool full)
{
    const auto missing = [] { return device_transform_available() ? "" : "needs CUDA 12.8"; };
    return {.name = "cub::DeviceTransform",
            .columns = columns,
            .unavailable = missing,
            .full_only = full};
}

void run_add_libraries(Chapter& chapter, VectorAdd& problem)
{
    chapter.run_library(device_transform(), problem, [&](cudaStream_t stream) {
        device_transform_add(problem.a, problem.b, problem.c, problem.n, stream);
    });
    chapter.run_library({.name = "thrust::transform"}, problem, [&](cudaStream_t stream) {
        thrust_transform_add(problem.a, problem.b, problem.c, problem.n, stream);
    });
}

} // namespace common
