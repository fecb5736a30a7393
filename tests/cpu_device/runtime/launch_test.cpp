#include "tests/cpu_device/runtime/kernels.hpp"

#include "tests/catch.hpp"

#include <cuda_runtime_api.h>

TEST_CASE("a kernel may be launched by pointer or by a configuration")
{
    const kernels::LaunchResults results = kernels::launch_results();
    CHECK(results.by_pointer == 3 * 2 * 5);
    CHECK(results.by_configuration == 4 * 7);
}

TEST_CASE("a launch in a destroyed stream is an error and does not run")
{
    const kernels::LaunchResults results = kernels::launch_results();
    CHECK(results.in_destroyed_stream == 0);
    CHECK(results.error == cudaErrorInvalidResourceHandle);
}
