#include "rewriter/device_pass.hpp"
#include "rewriter/rewriter.hpp"
#include "tests/catch.hpp"

#include <string>

namespace {

/// What is left of `source` on one side: lines that begin with H or D are that side's alone.
std::string pass(const std::string& source, char side)
{
    std::string text = "# 1 \"x.cu\"\n";
    for (std::size_t begin = 0; begin < source.size();) {
        const std::size_t end = source.find('\n', begin);
        const std::string line = source.substr(begin, end - begin);
        const bool marked = line.substr(0, 2) == "H " || line.substr(0, 2) == "D ";
        text += !marked ? line : line[0] == side ? line.substr(2) : "";
        text += '\n';
        begin = end + 1;
    }
    return text;
}

/// The joined text without its marks and ends of lines.
std::string joined(const std::string& source)
{
    const std::string text = launch_rewriter::join_passes(pass(source, 'H'), pass(source, 'D'));
    std::string plain;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = text.find('\n', begin);
        if (text[begin] != '#')
            plain += text.substr(begin, end - begin) + ' ';
        begin = end + 1;
    }
    return plain;
}

} // namespace

TEST_CASE("a kernel and a function for the device have the device's body")
{
    CHECK(joined("__global__ void k() {\nD d();\nH h();\n}\n") == "__global__ void k() { d(); } ");
    CHECK(joined("__device__ int f() {\nD return 1;\nH return 2;\n}\n") ==
          "__device__ int f() { return 1; } ");
}

TEST_CASE("a function for the host has the host's body")
{
    CHECK(joined("int f() {\nD return 1;\nH return 2;\n}\n") == "int f() { return 2; } ");
}

TEST_CASE("a function for both has both bodies and chooses when it runs")
{
    CHECK(joined("__host__ __device__ int f() {\nD return 1;\nH return 2;\n}\nint i;\n") ==
          "__host__ __device__ int f()  { if (::cpu_device::in_kernel()) { return 1; } else { "
          "return 2; } } int i; ");
    CHECK(joined("struct S { __host__ __device__ S() {\nD d();\nH h();\n} };\n").find("else") !=
          std::string::npos);
}

TEST_CASE("a function for both that does not ask is left alone")
{
    const std::string f = "__host__ __device__ int f() { return 0; } ";
    CHECK(joined(f + "\n__global__ void k() {\nD d();\n}\n") ==
          f + " __global__ void k() { d(); } ");
}

TEST_CASE("outside all functions both sides' declarations stand, but one of each name")
{
    CHECK(joined("D __device__ int d() { return 1; }\nH int h() { return 2; }\n") ==
          "__device__ int d() { return 1; } int h() { return 2; } ");
    CHECK(joined("D __constant__ int t[1] = {1};\nH static int t[1] = {1};\n") ==
          "__constant__ int t[1] = {1}; ");
    CHECK(joined("H int h();\nint i;\nD int d();\n") == "int h(); int i; int d(); ");
}

TEST_CASE("what is refused in preprocessed text is named by the file and the line of its mark")
{
    launch_rewriter::Declarations declarations;
    try {
        static_cast<void>(launch_rewriter::rewrite(
            "# 1 \"a.cu\"\nint i;\n# 40 \"b.cuh\" 1 3\n\n<<<;\n", "a.ii", declarations));
        FAIL("accepted");
    } catch (const launch_rewriter::Unsupported& error) {
        CHECK(std::string(error.what()) ==
              "b.cuh:41: there is no kernel's name in front of '<<<'.");
    }
}
