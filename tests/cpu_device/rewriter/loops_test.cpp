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

TEST_CASE("an index that is an element itself tells that it is needed")
{
    const std::string marked = "::cpu_device::loaded_index(";
    CHECK(rewritten(kernel + "a[b[n]] = 0; }") == kernel + "a[" + marked + "b[n])] = 0; }");
    CHECK(rewritten(kernel + "a[n + b[c[n]]] = 0; }") ==
          kernel + "a[" + marked + "n + b[" + marked + "c[n])])] = 0; }");
    CHECK(rewritten(kernel + "return f(n)[m[0][b[n]]]; }") ==
          kernel + "return f(n)[" + marked + "m[0][" + marked + "b[n])])]; }");
    for (const std::string& text :
         {kernel + "a[n] = m[n][2 * n]; }", kernel + "float t[sizes[0]]; }",
          kernel + "auto f = [x = b[n]] { return x; }; }", kernel + "[[assume(b[n] > 0)]]; }",
          kernel + "a[[] { return 0; }()] = 0; }", std::string("void host() { a[b[0]] = 0; }")})
        CHECK(rewritten(text) == text);
}

TEST_CASE("a kernel that waits for nothing but its block goes from barrier to barrier")
{
    const auto in_phases = [](const std::string& statement) {
        launch_rewriter::Declarations declarations;
        const std::string text = launch_rewriter::rewrite(
            kernel + statement + " __syncthreads(); }", "x.cu", declarations,
            [](std::string_view) { return std::nullopt; }, true);
        return text.find("CPU_DEVICE_BEGIN_PHASES") != text.npos;
    };
    CHECK(in_phases(""));
    CHECK(in_phases("a[0] = 0;"));
    for (const char* statement :
         {"__syncwarp();", "n = __shfl_sync(~0u, n, 0);", "barrier.arrive_and_wait();",
          "long long t = clock64();", "clock_t t = clock();", "grid.sync();",
          "asm(\"mov.u64 %0, %%clock64;\" : \"=l\"(n));",
          "__assert_fail(\"n\", \"x.cu\", 1, \"k\");"})
        CHECK_FALSE(in_phases(statement));
}

TEST_CASE("loops that a compiler may unroll, and those of the host, stay as they are")
{
    for (const std::string& text : {kernel + loop("++i"), kernel + loop("i++, j += n"),
                                    kernel + loop(""), kernel + "for (int x : list) a[x] = 0; }",
                                    kernel + "\n#pragma unroll 4\n" + loop("i += blockDim.x"),
                                    "void host(float* a, int n) { " + loop("i += n")})
        CHECK(rewritten(text) == text);
}
