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
          kernel + loop("i += ::cpu_device::run_time_step<decltype(i)>(blockDim.x)"));
    CHECK(rewritten(kernel + loop("i += gridDim.x * blockDim.x")) ==
          kernel + loop("i += ::cpu_device::run_time_step<decltype(i)>(gridDim.x * blockDim.x)"));
}

TEST_CASE("a loop that a pragma keeps tells of each round, whatever its step")
{
    const auto behind = [](const char* pragma, const std::string& step) {
        return kernel + "\n#pragma unroll" + pragma + "\n" + loop("i += " + step);
    };
    CHECK(rewritten(behind(" 1", "32")) == behind(" 1", "::cpu_device::rolled_step(32)"));
    CHECK(rewritten(behind(" 1", "blockDim.x")) ==
          behind(" 1", "::cpu_device::rolled_step(blockDim.x)"));
    for (const char* other : {"", " 4"})
        CHECK(rewritten(behind(other, "blockDim.x")) == behind(other, "blockDim.x"));
}

TEST_CASE("a kernel all of whose pointers are restricted tells that its loads pass stores")
{
    const std::string body = "{ c[0] = a[0]; }";
    const std::string told = "{ ::cpu_device::loads_pass_stores(); c[0] = a[0]; }";
    for (const std::string& head :
         {std::string("__global__ void k(const float* __restrict__ a, float* __restrict c) "),
          std::string("__global__ void k(float* const __restrict__ c) ")})
        CHECK(rewritten(head + body) == head + told);
    for (const std::string& head :
         {std::string("__global__ void k(const float* __restrict__ a, float* c) "),
          std::string("__global__ void k(const float* a, float* c) "),
          std::string("__global__ void k(int n) "),
          std::string("__device__ void k(const float* __restrict__ a) ")})
        CHECK(rewritten(head + body) == head + body);
}

TEST_CASE("a kernel with launch bounds begins by their check, in one line")
{
    const std::string body = "{ *x = 0; }";
    for (const auto& [head, bound] :
         {std::pair<std::string, std::string>("__global__ void __launch_bounds__(64) k(int* x) ",
                                              "64"),
          {"__global__ __launch_bounds__(T < 9 ?\n9 : T, 2) void k(int* x) ", "T < 9 ? 9 : T, 2"}})
        CHECK(rewritten(head + body) ==
              head + "{ ::cpu_device::check_launch_bounds(" + bound + ");" + body.substr(1));
    CHECK(rewritten("__device__ void f(int* x) " + body) == "__device__ void f(int* x) " + body);
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

namespace {

/// The rewritten text of a reader's file.
std::string of_reader(const std::string& preprocessed)
{
    return launch_rewriter::rewrite(preprocessed, "x.cu", true);
}

bool holds(const std::string& text, const std::string& part)
{
    return text.find(part) != text.npos;
}

} // namespace

TEST_CASE("functions of the host make no calls at their accesses")
{
    const std::string mark = "__attribute__((no_sanitize(\"thread\"))) ";
    const std::string body = "f(float* a, int n) { for (int i = 0; i < n; ++i) a[i] = 0; }\n";
    for (const std::string head : {"void ", "static inline float* ", "std::size_t "})
        CHECK(holds(of_reader("int n;\n" + head + body), "int n;\n" + mark + head + "f("));
    CHECK(holds(of_reader("extern \"C\" void " + body), "extern \"C\" " + mark + "void f("));
    CHECK(holds(of_reader("template<class T, class A = B<B<T>>> void " + body),
                ">> " + mark + "void f("));
    CHECK(holds(of_reader("# 1 \"x.h\" 1 3\nint n;\n# 2 \"x.cu\" 2\nvoid " + body), mark));
}

TEST_CASE("what kernels may run, and what may call functions of classes, keeps its calls")
{
    const std::string mark = "no_sanitize";
    for (const char* text :
         {"__host__ __device__ int f(int n) { return n; }", "constexpr int f(int n) { return n; }",
          "# 1 \"x.h\" 1 3\nint f(int n) { return n; }", "S::S(int n) { a[n] = 0; }",
          "int S::f(int n) { return a[n]; }", "int operator+(S a, S b) { return a.n + b.n; }",
          "struct S { int f(int n) { return a[n]; } };", "auto f = [](int n) { return a[n]; };",
          "int f(const std::vector<int>& a) { return a[0]; }", "int f() { return a.size(); }",
          "int f() { for (int x : a) n += x; }",
          "static __attribute__((noinline)) int f(int n) { return n; }\n__device__ int g() { "
          "return f(1); }",
          "template<class T> requires(sizeof(T) == 4) int f(T* n) { return *n; }", "S a = S(3) {",
          "int a[] = {f(1), 2};", "int f(int n) { return n; }\n__device__ int g() { return f(1); }",
          "__global__ void k() { f(1); }\nint f(int n) { return n; }"}) {
        INFO(of_reader(text));
        CHECK_FALSE(holds(of_reader(text), mark));
    }
}

TEST_CASE("lanes take turns before they print")
{
    const std::string turn = "(::cpu_device::wait_to_print(), ::printf)(\"x\")";
    CHECK(holds(rewritten(kernel + "printf(\"x\"); }"), turn));
    CHECK(holds(rewritten(kernel + "std::printf(\"x\"); }"), turn));
    CHECK_FALSE(holds(rewritten("void host() { printf(\"x\"); }"), "wait_for_print_order"));
    CHECK_FALSE(holds(rewritten(kernel + "out.printf(\"x\"); }"), "wait_for_print_order"));
}

TEST_CASE("loops that a compiler may unroll, and those of the host, stay as they are")
{
    for (const std::string& text : {kernel + loop("++i"), kernel + loop("i++, j += n"),
                                    kernel + loop(""), kernel + "for (int x : list) a[x] = 0; }",
                                    kernel + "\n#pragma unroll 4\n" + loop("i += blockDim.x"),
                                    "void host(float* a, int n) { " + loop("i += n")})
        CHECK(rewritten(text) == text);
}
