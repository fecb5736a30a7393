#include "rewriter/files.hpp"
#include "tests/catch.hpp"
#include "tests/cpu_device/rewriter/rewritten.hpp"
#include "tests/folder.hpp"

namespace fs = std::filesystem;

TEST_CASE("the output names the source's file and lines")
{
    const Folder directory;
    const auto input = directory.write("a.cu", "int x;\nk<<<1, 1>>>();\n");
    launch_rewriter::rewrite_file(input, directory / "a.cpp");
    CHECK(read(directory / "a.cpp") == "#include <cuda_runtime.h>\n"
                                       "#include <cpu_device/detail/kernel_call.hpp>\n"
                                       "#line 1 \"" +
                                           input.string() +
                                           "\"\nint x;\nCPU_DEVICE_KERNEL(k).on(1, 1)();\n");
}

TEST_CASE("a quote in the source's name is escaped")
{
    const Folder directory;
    const auto input = directory.write("a\"b\\c.cu", "");
    launch_rewriter::rewrite_file(input, directory / "a.cpp");
    CHECK(read(directory / "a.cpp").find("a\\\"b\\\\c.cu\"\n") != std::string::npos);
}

TEST_CASE("files next to the source stand in it, where it includes them")
{
    const Folder directory;
    const auto inner = directory.write("sub/inner.cuh", "#pragma once\nk<<<3, 3>>>();\n");
    const auto outer = directory.write("sub/outer.cuh", "#include \"inner.cuh\"\nk<<<2, 2>>>();\n");
    const auto input = directory.write(
        "a.cu", "#include \"sub/outer.cuh\"\n#include \"sub/../sub/inner.cuh\"\nint x;\n");
    const auto files = launch_rewriter::rewrite_file(input, directory / "a.cpp");
    CHECK(files == std::vector<fs::path>{input, outer, inner});

    const auto line = [](int number, const fs::path& file) {
        return "#line " + std::to_string(number) + " \"" + file.string() + "\"\n";
    };
    const std::string text = read(directory / "a.cpp");
    CHECK(text.substr(text.find("#line")) ==
          line(1, input) + line(1, outer) + line(1, inner) +
              "\nCPU_DEVICE_KERNEL(k).on(3, 3)();\n" + line(2, outer) +
              "CPU_DEVICE_KERNEL(k).on(2, 2)();\n" + line(2, input) + line(3, input) + "int x;\n");
}

TEST_CASE("a file sees the kernels and shared arrays of those that it includes")
{
    const Folder directory;
    (void)directory.write("x.cuh", "extern __shared__ int a[];\n__global__ void k() {}\n");
    const auto input = directory.write(
        "a.cu", "#include \"x.cuh\"\n__global__ void m() { a[0]; }\nauto p = (void*)k;\n");
    launch_rewriter::rewrite_file(input, directory / "a.cpp");
    const std::string text = read(directory / "a.cpp");
    CHECK(text.find("{ [[maybe_unused]] int (&a)[]") != std::string::npos);
    CHECK(text.find("auto p = ::cpu_device::kernel_address(k);") != std::string::npos);
}

TEST_CASE("a file without #pragma once stands wherever it is included")
{
    const Folder directory;
    (void)directory.write("x.inc", "X(1)\n");
    const auto input = directory.write("a.cu", "#include \"x.inc\"\n#include \"x.inc\"\n");
    launch_rewriter::rewrite_file(input, directory / "a.cpp");
    const std::string text = read(directory / "a.cpp");
    CHECK(text.find("X(1)") != text.rfind("X(1)"));
}

TEST_CASE("a file that includes itself is read once")
{
    const Folder directory;
    const auto input = directory.write("a.cu", "#include \"x.cuh\"\n");
    const auto header = directory.write("x.cuh", "#pragma once\n#include \"x.cuh\"\n");
    CHECK(launch_rewriter::rewrite_file(input, directory / "a.cpp") ==
          std::vector<fs::path>{input, header});
}

TEST_CASE("includes that do not lie next to the source are left to the compiler")
{
    CHECK(rewritten("#include \"common/chapter.hpp\"\n#include <cstdio>\n") ==
          "#include \"common/chapter.hpp\"\n#include <cstdio>\n");
}

TEST_CASE("a source that cannot be read is named")
{
    CHECK_THROWS_WITH(launch_rewriter::rewrite_file("no/such.cu", "a.cpp"),
                      "cannot read 'no/such.cu'.");
    const Folder directory;
    CHECK_THROWS_WITH(launch_rewriter::rewrite_file(directory.write("a.cu", ""), "no/such/a.cpp"),
                      "cannot write 'no/such/a.cpp': No such file or directory");
}

TEST_CASE("a refusal in an included file names that file")
{
    const Folder directory;
    const auto header = directory.write("x.cuh", "\n<<<1, 1>>>();");
    const auto input = directory.write("a.cu", "#include \"x.cuh\"\n");
    CHECK_THROWS_WITH(launch_rewriter::rewrite_file(input, directory / "a.cpp"),
                      header.string() + ":2: there is no kernel name before '<<<'.");
}
