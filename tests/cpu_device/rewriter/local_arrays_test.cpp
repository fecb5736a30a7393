#include "tests/catch.hpp"
#include "tests/cpu_device/rewriter/rewritten.hpp"

namespace {

std::string kernel(const std::string& text)
{
    return "__global__ void k(float* a, int n) { " + text + " }";
}

/// `surely`: no compiler can know an index.
std::string mark(const std::string& name, bool surely = true)
{
    return " auto& " + name + " = ::cpu_device::local_array" + (surely ? "<true>" : "") +
           "(local_memory_" + name + ");";
}

/// `declaration` gives the name x to the marked array where `use` comes behind it, and becomes
/// `used`.
void check_marked(const std::string& declaration, const std::string& use, const std::string& used,
                  bool surely = true)
{
    INFO(declaration << " " << use);
    const std::size_t name = std::min(declaration.find(" x["), declaration.find(" x;")) + 1;
    const std::string renamed =
        declaration.substr(0, name) + "local_memory_" + declaration.substr(name);
    CHECK(rewritten(kernel(declaration + " " + use)) ==
          kernel(renamed + mark("x", surely) + " " + used));
}

void check_marked(const std::string& declaration, const std::string& use)
{
    check_marked(declaration, use, use);
}

/// The same where a compiler may know each index.
void check_perhaps(const std::string& declaration, const std::string& use)
{
    check_marked(declaration, use, use, false);
}

void check_alone(const std::string& text)
{
    CHECK(rewritten(kernel(text)) == kernel(text));
}

} // namespace

TEST_CASE("an array with an index that is only known at run time is marked")
{
    check_marked("float x[8];", "a[0] = x[threadIdx.x % 8];");
    check_marked("float x[8];", "a[0] = x[n];");
    check_marked("float x[8];", "const int i = n % 8; a[0] = x[i];");
    check_marked("float x[8];", "++x[a[3]];", "++x[::cpu_device::loaded_index(a[3])];");
    check_marked("float x[8];", "for (int k = 0; k < 8; ++k) x[(k + n) % 8] = 0;");
    check_marked("float x[8];", "\n#pragma unroll 1\nfor (int k = 0; k < 8; ++k) x[k] = 0;");
}

TEST_CASE("what a compiler may know is told apart from what none can")
{
    check_marked("float x[8];", "++x[data[3]];", "++x[::cpu_device::loaded_index(data[3])];",
                 false);
    check_perhaps("float x[8];", "const int half = 4; x[half] = 0;");
    check_perhaps("float x[8];", "int k = 0; while (k < 8) { x[k] = 0; ++k; }");
    check_perhaps("float x[8];", "a[0] = x[min(3, 4)];");
    check_perhaps("float x[8];", "for (int k = 0; k < n; ++k) x[k] = 0;");
    check_perhaps("float x[8];", "for (int k = 0; k < 8 && n > 0; ++k) x[k] = 0;");
    check_marked("float x[8];", "int k = 0; k = n % 8; a[0] = x[k];");
    check_marked("float x[8];", "const int i = n + 1; a[0] = x[i];");
    CHECK(rewritten("__device__ float f(int k) { float x[8]; return x[k]; }") ==
          "__device__ float f(int k) { float local_memory_x[8];" + mark("x", false) +
              " return x[k]; }");
}

TEST_CASE("a directive, such as one that tells of a line, stands between no two words")
{
    CHECK(rewritten(kernel("a[0] = 1;\n# 7 \"mine.cu\"\nint x[4]; x[n] = 1;")) ==
          kernel("a[0] = 1;\n# 7 \"mine.cu\"\nint local_memory_x[4];" + mark("x") + " x[n] = 1;"));
}

TEST_CASE("a class or a named type may hold the array")
{
    check_marked("std::array<float, 8> x;", "a[0] = x[n];");
    check_marked("Histogram x;", "++x.counts[n];");
    check_marked("Eight x;", "a[0] = x[n];");
    check_alone("std::array<float, 8> x; for (int k = 0; k < 8; ++k) x[k] = a[k];");
    check_alone("Histogram x; ++x.counts[3]; f(x, n);");
    check_alone("float x = a[n]; a[0] = x + n;");
}

TEST_CASE("a pointer to its elements may have the index")
{
    check_marked("int x[8];", "int* p = x; a[0] = p[n];");
    check_marked("int x[8];", "int* p = x + n; a[0] = *p;");
    check_marked("int x[8];", "int* p = &x[2]; a[0] = p[n];");
    check_marked("int x[8];", "const int* p = n > 3 ? &x[0] : &x[1]; a[0] = *p;");
    check_alone("int x[8]; int* p = x; a[0] = p[3];");
    check_alone("int x[8]; int* p = &x[4]; int m = n & x[1]; a[0] = p[3];");
    const std::string bump = "__device__ void bump(int* c, int k) { ++c[k]; } ",
                      fill =
                          "__device__ void fill(int* c) { for (int k = 0; k < 8; ++k) c[k] = k; } ";
    CHECK(rewritten(bump + kernel("int x[8]; bump(x, n);")) ==
          bump + kernel("int local_memory_x[8];" + mark("x", false) + " bump(x, n);"));
    CHECK(rewritten(fill + kernel("int x[8]; fill(x);")) == fill + kernel("int x[8]; fill(x);"));
}

TEST_CASE("it may be declared in any plain way")
{
    for (const std::string declaration :
         {"float x[8] = {1, 2};", "float x[] = {f(1), 2};", "unsigned long long x[2][N + 1];",
          "ns::Pair<int, 2> x[4];", "volatile int x[8]{};", "alignas(16) float x[8];",
          "T x[n * 2];"})
        check_marked(declaration, "a[0] = x[n];");
    CHECK(rewritten(kernel("int x[4], y[4] = {}; x[n] = y[n];")) ==
          kernel("int local_memory_x[4], local_memory_y[4] = {};" + mark("x") + mark("y") +
                 " x[n] = y[n];"));
    CHECK(rewritten(kernel("switch (n) { case 0: { int x[4]; x[n] = 1; } }")) ==
          kernel("switch (n) { case 0: { int local_memory_x[4];" + mark("x") + " x[n] = 1; } }"));
    CHECK(rewritten(kernel("if (n) { int x[4]; x[n] = 1; }")) ==
          kernel("if (n) { int local_memory_x[4];" + mark("x") + " x[n] = 1; }"));
}

TEST_CASE("an array whose every index is known after unrolling is left alone")
{
    check_alone("float x[8]; a[0] = x[3];");
    check_alone("float x[8]; a[0] = x[N - 1] + x[sizeof(int)];");
    check_alone("float x[8]; for (int k = 0; k < 8; ++k) { x[k] = a[n + k]; }");
    check_alone("float x[8]; for (int k = 1; k < N; k *= 2) x[(k + 1) % N] = 0;");
    check_alone("float x[8]; constexpr int r = 2; a[0] = x[r];");
    check_alone("float x[N]; const int first = n * N; for (int k = 0; k < N; ++k) x[k] = 2 * k;");
}

TEST_CASE("what is no plain array of a thread's own is left alone")
{
    check_alone("alignas(16) __shared__ float x[8]; a[0] = x[n];");
    check_alone("static const int x[2] = {1, 2}; a[0] = x[n];");
    check_alone("const int x[2] = {1, 2}; a[0] = x[n];");
    check_alone("a[n] = 1; return; delete x[n];");
    check_alone("switch (n) { case 0: float x[2]; x[n] = 1; }");
    check_alone("switch (f(n)) { case 0: ++n; float x[2]; x[n] = 1; break; case 1: --n; }");
    check_alone("if (n) goto end; float x[2]; x[n] = 1; end: return;");
    check_alone("float* x = a; x[n] = 1;");
    check_alone("int x[2], y = x[n];");
    check_alone("\n#define ARRAY float x[8];\nARRAY x[n] = 1;");
    const std::string host = "void f(int n) { float x[8]; x[n] = 1; }";
    CHECK(rewritten(host) == host);
}
