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
          std::string("__global__ void __launch_bounds__(64) k(float* const __restrict__ c) ")})
        CHECK(rewritten(head + body) == head + told);
    for (const std::string& head :
         {std::string("__global__ void k(const float* __restrict__ a, float* c) "),
          std::string("__global__ void k(const float* a, float* c) "),
          std::string("__global__ void k(int n) "),
          std::string("__device__ void k(const float* __restrict__ a) ")})
        CHECK(rewritten(head + body) == head + body);
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

/// The rewritten text of preprocessed `source` with a second version of its kernels.
std::string with_second_version(const std::string& source,
                                const launch_rewriter::Uncounted& uncounted = {})
{
    launch_rewriter::Declarations declarations;
    return launch_rewriter::rewrite(
        source, "x.cu", declarations, [](std::string_view) { return std::nullopt; }, &uncounted);
}

bool holds(const std::string& text, const std::string& part)
{
    return text.find(part) != text.npos;
}

} // namespace

TEST_CASE(
    "a kernel holds its body twice: as a loop over threads, without what counts, and as it is")
{
    const std::string text =
        with_second_version("# 7 \"y.cu\"\n" + kernel + "float t[2];\nt[n] = a[b[n]]; }\n");
    const std::size_t end = text.find("return;");
    REQUIRE(end != text.npos);
    const std::string uncounted = text.substr(0, end);
    const std::string counted = text.substr(end);
    CHECK(holds(uncounted, "if (::cpu_device::runs_threads())"));
    CHECK(holds(uncounted, "float t[2];\nt[n] = a[b[n]];"));
    CHECK(holds(counted, "::cpu_device::local_array(local_memory_t)"));
    CHECK(holds(counted, "t[n] = a[::cpu_device::loaded_index(b[n])];"));
    for (const std::string& version : {uncounted, counted})
        CHECK(holds(version, "# 7 \"y.cu\""));
}

TEST_CASE("functions that kernels call are inlined, but for lambdas and what may call itself")
{
    const std::string inlined = "__attribute__((always_inline))";
    CHECK(holds(with_second_version("__device__ float f(float x) { return x; }"),
                "__device__ " + inlined + " float f"));
    for (const char* other :
         {"__device__ int f(int n) { return n ? f(n - 1) : 0; }", "__device__ int f(int n);",
          "__device__ __noinline__ int f(int n) { return n; }", "__device__ int n = 3;",
          "auto f = [] __device__ (int n) { return n; };"})
        CHECK_FALSE(holds(with_second_version(other), inlined));
}

TEST_CASE("functions of the host make no calls at their accesses")
{
    const std::string mark = "__attribute__((no_sanitize(\"thread\"))) ";
    const std::string body = "f(float* a, int n) { for (int i = 0; i < n; ++i) a[i] = 0; }\n";
    for (const std::string head : {"void ", "static inline float* ", "std::size_t "})
        CHECK(
            holds(with_second_version("int n;\n" + head + body), "int n;\n" + mark + head + "f("));
    CHECK(holds(with_second_version("extern \"C\" void " + body),
                "extern \"C\" " + mark + "void f("));
    CHECK(holds(with_second_version("template<class T, class A = B<B<T>>> void " + body),
                ">> " + mark + "void f("));
    CHECK(
        holds(with_second_version("# 1 \"x.h\" 1 3\nint n;\n# 2 \"x.cu\" 2\nvoid " + body), mark));
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
        INFO(with_second_version(text));
        CHECK_FALSE(holds(with_second_version(text), mark));
    }
}

TEST_CASE("threadIdx is set for others where a function that is no kernel reads it, or may")
{
    const std::string text = kernel + "a[f()] = 0; }";
    const std::string others = "__device__ int f() { return threadIdx.x; }\n";
    CHECK(holds(with_second_version(text), "run_threads<false>"));
    CHECK(holds(with_second_version(others + text), "run_threads<true>"));
    CHECK(holds(with_second_version(text, {.several_files = true}), "run_threads<true>"));
    CHECK(
        holds(with_second_version("__device__ int g() { return threadIdx.x; }\n__device__ int f() "
                                  "{ return g(); }\n" +
                                  text),
              "run_threads<true>"));
    CHECK(
        holds(with_second_version(kernel + "f(cg::this_thread_block()); }"), "run_threads<true>"));
    for (const char* unnamed :
         {"struct S { __device__ operator int() { return threadIdx.x; } };\n",
          "__device__ S operator+(S a, S b) { return threadIdx.x; }\n",
          "void host() { k<<<1, 1>>>([] __device__ () { return threadIdx.x; }); }\n",
          "__device__ int g() { return threadIdx.x; }\nvoid host() { k<g><<<1, 1>>>(); }\n",
          "__device__ decltype(int()) g() { return threadIdx.x; }\n",
          "int any() { return threadIdx.x; }\n"})
        CHECK(holds(with_second_version(unnamed + text), "run_threads<true>"));
}

TEST_CASE("a kernel goes without what only functions need that it does not call")
{
    const std::string others = "__device__ int f() { return __shfl_sync(~0u, threadIdx.x, 0); }\n"
                               "__device__ int g() { return f(); }\n"
                               "# 1 \"cooperative_groups.h\" 1 3\n"
                               "inline int rank() { return threadIdx.x; }\n"
                               "# 4 \"x.cu\" 2\n";
    CHECK(holds(with_second_version(others + kernel + "a[0] = 0; }"), "run_threads<false>"));
    CHECK(holds(with_second_version(others + kernel + "a[0] = 0; __syncthreads(); }"),
                "run_phases<false>"));
    CHECK(holds(with_second_version(others + kernel + "a[0] = g(); __syncthreads(); }"),
                "run_threads<true>"));
}

TEST_CASE("a kernel that waits for nothing but its block goes from barrier to barrier")
{
    const std::string barrier = " __syncthreads(); return; }";
    const auto in_phases = [&](const std::string& statement,
                               const launch_rewriter::Uncounted& uncounted = {}) {
        return holds(with_second_version(kernel + statement + barrier, uncounted), "run_phases");
    };
    CHECK(in_phases(""));
    CHECK(in_phases("a[0] = 0;"));
    for (const char* statement :
         {"__syncwarp();", "n = __shfl_sync(~0u, n, 0);", "barrier.arrive_and_wait();",
          "long long t = clock64();", "clock_t t = clock();", "grid.sync();",
          "asm(\"mov.u64 %0, %%clock64;\" : \"=l\"(n));",
          "__assert_fail(\"n\", \"x.cu\", 1, \"k\");", "printf(\"x\");",
          "auto g = cg::tiled_partition<32>(cg::this_thread_block());", "f(cg::thread_block());"})
        CHECK_FALSE(in_phases(statement));
    CHECK_FALSE(in_phases("", {.several_files = true}));
    CHECK_FALSE(in_phases("", {.coroutines = false}));
    const std::string text = with_second_version(kernel + barrier);
    CHECK(holds(text, "co_await ::cpu_device::ThreadInPhases::Barrier(); co_return;"));
    CHECK(holds(text, "__syncthreads(); return; }"));
}

TEST_CASE("a kernel with a reference among its parameters has one version")
{
    CHECK_FALSE(holds(with_second_version("__global__ void k(E& e) { e.n = 0; }"), "run_"));
    CHECK(holds(with_second_version("__global__ void k(E e) { e.n = 0; }"), "run_threads"));
}

TEST_CASE("lanes take turns before they print")
{
    const std::string turn = "(::cpu_device::take_turn_to_print(), ::printf)(\"x\")";
    CHECK(holds(rewritten(kernel + "printf(\"x\"); }"), turn));
    CHECK(holds(rewritten(kernel + "std::printf(\"x\"); }"), turn));
    CHECK_FALSE(holds(rewritten("void host() { printf(\"x\"); }"), "take_turn"));
    CHECK_FALSE(holds(rewritten(kernel + "out.printf(\"x\"); }"), "take_turn"));
}

TEST_CASE("a main() of type int that returns nothing returns 0")
{
    const auto of_main = [](const std::string& end) {
        return "int main(int n, char** a) { if (n) return; auto f = [=](int i) { return; }; "
               "struct S { void f() { return; } }; a[n] = 0; return" +
               end + "; }\nvoid f() { return; }\nint g() { return; }";
    };
    std::string text = of_main(" 0");
    text.insert(text.find("return;") + 6, " 0");
    CHECK(rewritten(of_main("")) == text);
    for (const char* other : {"void main() { return; }", "int main_of(int n) { return; }",
                              "void f(int main) { return; }"})
        CHECK(rewritten(other) == other);
}

TEST_CASE("loops that a compiler may unroll, and those of the host, stay as they are")
{
    for (const std::string& text : {kernel + loop("++i"), kernel + loop("i++, j += n"),
                                    kernel + loop(""), kernel + "for (int x : list) a[x] = 0; }",
                                    kernel + "\n#pragma unroll 4\n" + loop("i += blockDim.x"),
                                    "void host(float* a, int n) { " + loop("i += n")})
        CHECK(rewritten(text) == text);
}
