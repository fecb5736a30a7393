#include "tests/catch.hpp"
#include "tests/cpu_device/rewriter/rewritten.hpp"

TEST_CASE("a launch becomes a call with the same arguments")
{
    CHECK(rewritten("k<<<g, b>>>(x, n);") == "CPU_DEVICE_KERNEL(k).on(g, b)(x, n);");
    CHECK(rewritten("k<<<g, b, s, st>>>();") == "CPU_DEVICE_KERNEL(k).on(g, b, s, st)();");
}

TEST_CASE("a launch names the parameters of its kernel, if they are plain")
{
    CHECK(
        rewritten("__global__ void k(const float* x, int n = 1) {} int f = (k<<<g, b>>>(x), 0);") ==
        "__global__ void k(const float* x, int n = 1) {} "
        "int f = (CPU_DEVICE_KERNEL(k).with_parameters(\"x, n\").on(g, b)(x), 0);");
    CHECK(rewritten("__global__ void k(A<2, 3> x) {} int f = (k<<<g, b>>>(x), 0);") ==
          "__global__ void k(A<2, 3> x) {} int f = (CPU_DEVICE_KERNEL(k).on(g, b)(x), 0);");
}

TEST_CASE("a kernel template keeps its arguments")
{
    CHECK(rewritten("k<float, 4><<<g, b>>>(x);") == "CPU_DEVICE_KERNEL(k<float, 4>).on(g, b)(x);");
    CHECK(rewritten("k<A<B<int>>><<<g, b>>>(x);") ==
          "CPU_DEVICE_KERNEL(k<A<B<int>>>).on(g, b)(x);");
}

TEST_CASE("comparisons among a kernel's template arguments are not brackets")
{
    CHECK(rewritten("ns::k<int, (3>2)><<<g, b>>>(x);") ==
          "CPU_DEVICE_KERNEL(ns::k<int, (3>2)>).on(g, b)(x);");
    CHECK(rewritten("k<(n >> 1) < 2><<<g, b>>>(x);") ==
          "CPU_DEVICE_KERNEL(k<(n >> 1) < 2>).on(g, b)(x);");
    CHECK(rewritten("k<1 << 4><<<g, b>>>(x);") == "CPU_DEVICE_KERNEL(k<1 << 4>).on(g, b)(x);");
}

TEST_CASE("a qualified kernel is taken whole")
{
    CHECK(rewritten("a::b<T>::k<<<g, b>>>();") == "CPU_DEVICE_KERNEL(a::b<T>::k).on(g, b)();");
    CHECK(rewritten("::k<<<g, b>>>();") == "CPU_DEVICE_KERNEL(::k).on(g, b)();");
    CHECK(rewritten("return ::k<<<g, b>>>();") == "return CPU_DEVICE_KERNEL(::k).on(g, b)();");
    CHECK(rewritten("R<T>::template k<3><<<g, b>>>();") ==
          "CPU_DEVICE_KERNEL(R<T>::template k<3>).on(g, b)();");
}

TEST_CASE("a kernel may be a function pointer")
{
    CHECK(rewritten("table[i + 1]<<<g, b>>>();") == "CPU_DEVICE_KERNEL(table[i + 1]).on(g, b)();");
    CHECK(rewritten("(*f)<<<g, b>>>();") == "CPU_DEVICE_KERNEL((*f)).on(g, b)();");
    CHECK(rewritten("this->f<<<g, b>>>();") == "CPU_DEVICE_KERNEL(this->f).on(g, b)();");
    CHECK(rewritten("o.f<<<g, b>>>();") == "CPU_DEVICE_KERNEL(o.f).on(g, b)();");
    CHECK(rewritten("pick(3)<<<g, b>>>();") == "CPU_DEVICE_KERNEL(pick(3)).on(g, b)();");
}

TEST_CASE("a launch is a statement of its own behind if, else and a cast to void")
{
    CHECK(rewritten("if (x) k<<<g, b>>>();") == "if (x) CPU_DEVICE_KERNEL(k).on(g, b)();");
    CHECK(rewritten("if (x) (*k)<<<g, b>>>();") == "if (x) CPU_DEVICE_KERNEL((*k)).on(g, b)();");
    CHECK(rewritten("else k<<<g, b>>>();") == "else CPU_DEVICE_KERNEL(k).on(g, b)();");
    CHECK(rewritten("x = 1; k<<<g, b>>>();") == "x = 1; CPU_DEVICE_KERNEL(k).on(g, b)();");
}

TEST_CASE("a launch may be written with spaces in its chevrons")
{
    CHECK(rewritten("k << < g, b >> > (x);") == "CPU_DEVICE_KERNEL(k ).on( g, b ) (x);");
    CHECK(rewritten("k<<<g, b>> >(x);") == "CPU_DEVICE_KERNEL(k).on(g, b)(x);");
    CHECK(rewritten("s << a; b = 1 < c;") == "s << a; b = 1 < c;");
}

TEST_CASE("shifts and comparisons inside the configuration stay there")
{
    CHECK(rewritten("k<<<n >> 8, 1 << 8>>>(x);") == "CPU_DEVICE_KERNEL(k).on(n >> 8, 1 << 8)(x);");
    CHECK(rewritten("k<<<(a > b ? a : b), 1>>>(x);") ==
          "CPU_DEVICE_KERNEL(k).on((a > b ? a : b), 1)(x);");
}

TEST_CASE("nested templates inside the configuration may end together with it")
{
    CHECK(rewritten("k<<<f<g<3>>(n), t<2>>>>(x);") ==
          "CPU_DEVICE_KERNEL(k).on(f<g<3>>(n), t<2>)(x);");
    CHECK(rewritten("k<<<1, v<a<b<int>>>>>>(x);") ==
          "CPU_DEVICE_KERNEL(k).on(1, v<a<b<int>>>)(x);");
    CHECK(rewritten("k<<<1, a<b<c<int>>>::v>>>(x);") ==
          "CPU_DEVICE_KERNEL(k).on(1, a<b<c<int>>>::v)(x);");
}

TEST_CASE("a configuration may use braces and lambdas")
{
    CHECK(rewritten("k<<<{1, 2}, {3}>>>(x);") == "CPU_DEVICE_KERNEL(k).on({1, 2}, {3})(x);");
    CHECK(rewritten("k<<<[&] { int i = 3; return i; }(), 1>>>();") ==
          "CPU_DEVICE_KERNEL(k).on([&] { int i = 3; return i; }(), 1)();");
}

TEST_CASE("a launch spread over lines keeps them")
{
    CHECK(rewritten("k<float,\n  4>\n  <<<g,\n b\n>>>\n(x,\n n);") ==
          "CPU_DEVICE_KERNEL(k<float,\n  4>\n  ).on(g,\n b\n)\n(x,\n n);");
}

TEST_CASE("comments may stand anywhere in a launch")
{
    CHECK(rewritten("k /* a<b */ <<< g, // >>>\n b >>> /* ( */ (x);") ==
          "CPU_DEVICE_KERNEL(k /* a<b */ ).on( g, // >>>\n b ) /* ( */ (x);");
}

TEST_CASE("launches in comments are text")
{
    const std::string source =
        "// k<<<1, 1>>>();\n/* k<<<1, 1>>>();\n */ // a \\\nk<<<1, 1>>>();\n";
    CHECK(rewritten(source) == source);
}

TEST_CASE("launches in strings are text")
{
    for (const std::string source :
         {R"_(puts("k<<<1, 1>>>()");)_", R"_(puts("\"k<<<1, 1>>>()\\");)_", R"_(u8"<<<";)_",
          R"_(R"x(k<<<1, 1>>>() )" " )x";)_", "LR\"(k<<<1, 1>>>()\n)\";"}) {
        CHECK(rewritten(source) == source);
    }
}

TEST_CASE("characters and digit separators do not open a string")
{
    CHECK(rewritten("c = '\"'; k<<<1, 1>>>('\\'', '<');") ==
          "c = '\"'; CPU_DEVICE_KERNEL(k).on(1, 1)('\\'', '<');");
    CHECK(rewritten("k<<<1'000'000, 0x1'F>>>(1e+3, 'x');") ==
          "CPU_DEVICE_KERNEL(k).on(1'000'000, 0x1'F)(1e+3, 'x');");
}

TEST_CASE("an identifier that ends in R does not open a raw string")
{
    CHECK(rewritten("FOUR \"(\" k<<<1, 1>>>();") == "FOUR \"(\" CPU_DEVICE_KERNEL(k).on(1, 1)();");
}

TEST_CASE("shift operators are not launches")
{
    const std::string source = "out << x << y; a <<= 2; b = c >> 3; f(operator<<<T>);";
    CHECK(rewritten(source) == source);
}

TEST_CASE("a macro's body may hold a launch")
{
    CHECK(rewritten("#define RUN(k, g, ...) k<<<g, 32>>>(__VA_ARGS__)\n") ==
          "#define RUN(k, g, ...) CPU_DEVICE_KERNEL(k).on(g, 32)(__VA_ARGS__)\n");
    CHECK(rewritten("#define RUN(k) (k)<<<1, \\\n 32>>>(1)\n") ==
          "#define RUN(k) CPU_DEVICE_KERNEL((k)).on(1, \\\n 32)(1)\n");
    CHECK(rewritten("#define GO k<<<1, 1>>>\nGO(3);") ==
          "#define GO CPU_DEVICE_KERNEL(k).on(1, 1)\nGO(3);");
}

TEST_CASE("a launch may be a macro's argument")
{
    CHECK(rewritten("CHECK((k<<<g, b>>>(x), last()));") ==
          "CHECK((CPU_DEVICE_KERNEL(k).on(g, b)(x), last()));");
}

TEST_CASE("two launches on one line are both rewritten")
{
    CHECK(rewritten("k<<<1, 2>>>(); k<T><<<3, 4>>>();") ==
          "CPU_DEVICE_KERNEL(k).on(1, 2)(); CPU_DEVICE_KERNEL(k<T>).on(3, 4)();");
}

TEST_CASE("an apostrophe in a directive ends with its line")
{
    CHECK(rewritten("#error don't\nk<<<1, 1>>>();") ==
          "#error don't\nCPU_DEVICE_KERNEL(k).on(1, 1)();");
}

TEST_CASE("Windows line ends survive")
{
    CHECK(rewritten("#define A \\\r\n 1\r\nk<<<1, 1>>>();\r\n") ==
          "#define A \\\r\n 1\r\nCPU_DEVICE_KERNEL(k).on(1, 1)();\r\n");
}

TEST_CASE("text without CUDA in it comes back unchanged, whatever it is")
{
    for (const std::string source : {"", "\n", "\"", "'", "/*", "R\"(", "#", "a\\", "}}}", ">>>(",
                                     "int main() { return 0; }"}) {
        CHECK(rewritten(source) == source);
    }
}

TEST_CASE("the address of a kernel remembers its parameters")
{
    const std::string kernel = "template<class T> __global__ void __launch_bounds__(32) k(T* x);\n";
    const auto check = [&](const std::string& source, const std::string& result) {
        CHECK(rewritten(kernel + source) == kernel + result);
    };
    check("f((void*)k<int>, g);", "f(::cpu_device::kernel_address(k<int>), g);");
    check("f((const void *)&n::k<A<2>>, g);", "f(::cpu_device::kernel_address(n::k<A<2>>), g);");
    check("p.func = (void*)k;", "p.func = ::cpu_device::kernel_address(k);");
    check("reinterpret_cast<void*>(&k<int>)", "::cpu_device::kernel_address(k<int>)");
    for (const std::string other : {"(void*)x;", "(void**)&k;", "(void)k;", "(void const*)x + 1",
                                    "reinterpret_cast<char*>(k)", "f(k)", "T::__launch_bounds__"}) {
        check(other, other);
    }
}

TEST_CASE("a launch without an end is refused with its line")
{
    CHECK(refusal("\n\nk<<<1, 1;") ==
          "x.cu:3: the launch opened by '<<<' has no '>>>' followed by its arguments.");
    CHECK(refusal("k<<<(1, 1>>>();") ==
          "x.cu:1: the launch opened by '<<<' has no '>>>' followed by its arguments.");
    CHECK(refusal("k<<<") ==
          "x.cu:1: the launch opened by '<<<' has no '>>>' followed by its arguments.");
}

TEST_CASE("a launch without a kernel is refused with its line")
{
    const std::string sentence = "there is no kernel name before '<<<'.";
    CHECK(refusal("<<<1, 1>>>();") == "x.cu:1: " + sentence);
    CHECK(refusal("\n+ <<<1, 1>>>();") == "x.cu:2: " + sentence);
    CHECK(refusal("#define CONFIGURATION <<<1, 1>>>\n") == "x.cu:1: " + sentence);
    CHECK(refusal("# 1 \"a\\\"b/x.cuh\" 1\n\n<<<1, 1>>>();") == "a\"b/x.cuh:2: " + sentence);
    CHECK(refusal("x><<<1, 1>>>();") ==
          "x.cu:1: the bracket '>' before a kernel launch is never opened.");
}

TEST_CASE("a kernel that launches a kernel is refused")
{
    const std::string sentence = "a kernel launched by a kernel (dynamic parallelism) cannot run "
                                 "on the CPU device; launch it from the host.";
    CHECK(refusal("__global__ void k(int n)\n{\n  if (n) { k<<<1, 1>>>(n - 1); }\n}") ==
          "x.cu:3: " + sentence);
    CHECK(refusal("template<class T> __device__ void f() { k<<<1, 1>>>(); }") ==
          "x.cu:1: " + sentence);
    CHECK(rewritten("__global__ void k();\nint main() { k<<<1, 1>>>(); }") ==
          "__global__ void k();\nint main() { CPU_DEVICE_KERNEL(k).on(1, 1)(); }");
    CHECK(rewritten("__device__ int x = 3;\nvoid f() { k<<<1, 1>>>(); }") ==
          "__device__ int x = 3;\nvoid f() { CPU_DEVICE_KERNEL(k).on(1, 1)(); }");
}

TEST_CASE("a kernel that calls a kernel as a function is refused")
{
    const std::string sentence = "kernel k is called without <<<...>>> in a kernel, which nvcc "
                                 "rejects; make it a __device__ function.";
    CHECK(refusal("__global__ void k(int n)\n{\n  if (n) return;\n  k(n - 1);\n}") ==
          "x.cu:4: " + sentence);
    CHECK(refusal("__global__ void k(int n);\n__device__ void f() { if (true) k(2); }") ==
          "x.cu:2: " + sentence);
    for (const std::string source :
         {"__device__ void k(float x) {}\n__global__ void k(int n) { k(1.f); }",
          "__global__ void __launch_bounds__(32) k(int n) {}",
          "struct S { __device__ void k() {} __device__ void f() { k(); } };",
          "__global__ void k(int n);\n__device__ void f(S s) { s.k(1); S k(2); }",
          "__global__ void k(int n);\nvoid f() { k(1); }"}) {
        CAPTURE(source);
        CHECK_NOTHROW(rewritten(source));
    }
}

TEST_CASE("a host that assigns a variable of the device is refused")
{
    const std::string sentence =
        "the host assigns x, a device variable: kernels on a GPU do not see that (nvcc warns); set "
        "it with cudaMemcpyToSymbol().";
    CHECK(refusal("__device__ const float* x;\nvoid f(float* p)\n{ x = p; }") ==
          "x.cu:3: " + sentence);
    CHECK(refusal("static __device__ int x[8] = {};\nvoid f() { if (n) x[3] = 0; }") ==
          "x.cu:2: " + sentence);
    for (const std::string source :
         {"__device__ int x;\n__global__ void k() { x = 1; }",
          "__device__ int x;\nvoid f() { if (x == 1) cudaMemcpyToSymbol(x, &n, 4); }",
          "__device__ int x;\nvoid f() { int x; x = 1; }",
          "__device__ int x;\nvoid f(int* x) { *x = 1; x = nullptr; }",
          "__device__ __managed__ int x;\nvoid f() { x = 1; }",
          "__managed__ __device__ int x;\nvoid f() { x = 1; }", "int x;\nvoid f() { x = 1; }",
          "__device__ int x();\n__device__ int x;\n__host__ __device__ void f() { x = 1; }"}) {
        CAPTURE(source);
        CHECK_NOTHROW(rewritten(source));
    }
}

TEST_CASE("a shift by a count that no literal is goes by the GPU's rule")
{
    const auto shift = [](const std::string& text) {
        return rewritten("__device__ void f() { " + text + " }");
    };
    const std::string count = " ::cpu_device::shift_count *";
    CHECK(shift("x = 1 << n;") == "__device__ void f() { x = 1 <<" + count + " n; }");
    CHECK(shift("x = m >> 32 - n;") == "__device__ void f() { x = m >>" + count + " 32 - n; }");
    CHECK(shift("g<T>(m >> (n));") == "__device__ void f() { g<T>(m >>" + count + " (n)); }");
    CHECK(shift("x = (a > b) >> n;") == "__device__ void f() { x = (a > b) >>" + count + " n; }");
    for (const std::string same :
         {"x = m >> 1;", "x = 1 << 3 | m;", "x <<= n;", "x >>= n;", "A<B<int>> n;", "A<B<C>>(n);",
          "h<A<B>>::f(n);", "(x << ... << y);"}) {
        CAPTURE(same);
        CHECK(shift(same) == "__device__ void f() { " + same + " }");
    }
    CHECK(rewritten("int f() { std::cout << n; return 1 << n; }") ==
          "int f() { std::cout << n; return 1 << n; }");
}

TEST_CASE("PTX in device code is refused, unless only a GPU compiles it")
{
    CHECK(
        refusal("__device__ int f()\n{ int i;\n asm volatile(\"mov\" : \"=r\"(i)); return i; }") ==
        "x.cu:3: inline PTX cannot run on the CPU device; write it in C++ or build for a GPU.");
    const std::string empty = "__device__ void f() { asm volatile(\"\" ::: \"memory\"); }";
    CHECK(rewritten(empty) == empty);
    CHECK(refusal("__device__ void f() { asm(\"\" \"trap;\"); }").substr(0, 12) == "x.cu:1: inli");
    const std::string host = "void f() { asm volatile(\"nop\"); }";
    CHECK(rewritten(host) == host);
    const std::string guarded = "__device__ void f() {\n#if defined(__CUDA_ARCH__)\nasm(\"x\");\n"
                                "#else\ng();\n#endif\n}";
    CHECK(rewritten(guarded) == guarded);
}
