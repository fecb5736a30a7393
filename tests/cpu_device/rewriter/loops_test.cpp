#include "tests/catch.hpp"
#include "tests/cpu_device/rewriter/rewritten.hpp"

namespace {

std::string loop(const std::string& step)
{
    return "for (int i = threadIdx.x; i < n; " + step + ") a[i] = 0; }";
}

const std::string kernel = "__global__ void k(float* a, int n) { ";

} // namespace

TEST_CASE("a step that only the run knows tells of each round of its loop")
{
    CHECK(rewritten(kernel + loop("i += blockDim.x")) ==
          kernel + loop("i += ::cpu_device::run_time_step(blockDim.x)"));
    CHECK(rewritten(kernel + loop("i += gridDim.x * blockDim.x")) ==
          kernel + loop("i += ::cpu_device::run_time_step(gridDim.x * blockDim.x)"));
}

TEST_CASE("loops that a compiler may unroll, and those of the host, stay as they are")
{
    for (const std::string& text : {kernel + loop("++i"), kernel + loop("i++, j += n"),
                                    kernel + loop(""), kernel + "for (int x : list) a[x] = 0; }",
                                    kernel + "\n#pragma unroll 4\n" + loop("i += blockDim.x"),
                                    "void host(float* a, int n) { " + loop("i += n")})
        CHECK(rewritten(text) == text);
}
