#include "tests/catch.hpp"
#include "tests/cpu_device/rewriter/rewritten.hpp"

namespace {

std::string reference(const std::string& type, const std::string& name, const std::string& extents)
{
    return "[[maybe_unused]] " + type + " (&" + name + ")" + extents + " = *static_cast<" + type +
           " (*)" + extents + ">(::cpu_device::dynamic_shared());";
}

std::string in_kernel(const std::string& text)
{
    return "__global__ void k() { " + text + " }";
}

} // namespace

TEST_CASE("a dynamic shared array becomes a reference to the block's memory")
{
    CHECK(rewritten(in_kernel("extern __shared__ float tile[];")) ==
          in_kernel(reference("float", "tile", "[]")));
}

TEST_CASE("a dynamic shared array keeps its type, however it is spelt")
{
    const auto check = [](const std::string& source, const std::string& type) {
        CHECK(rewritten(in_kernel(source)) == in_kernel(reference(type, "a", "[]")));
    };
    check("extern volatile __shared__ int a[];", "volatile int");
    check("extern __shared__ volatile int a[];", "volatile int");
    check("extern __shared__ unsigned long long a[];", "unsigned long long");
    check("__shared__ extern T a[];", "T");
    check("extern __shared__ Pair<int, 2> a[];", "Pair < int , 2 >");
    check("extern __shared__ typename X<T>::type a[];", "typename X < T > :: type");
}

TEST_CASE("the alignment of a dynamic shared array is dropped: the block's memory has the largest")
{
    for (const std::string alignment :
         {"__align__(16)", "alignas(16)", "__align__(sizeof(T))", "__attribute__((aligned(16)))"}) {
        CHECK(rewritten(in_kernel("extern __shared__ " + alignment + " unsigned char raw[];")) ==
              in_kernel(reference("unsigned char", "raw", "[]")));
    }
}

TEST_CASE("a dynamic shared array may have more dimensions")
{
    CHECK(rewritten(in_kernel("extern __shared__ float tile[][N + 1];")) ==
          in_kernel(reference("float", "tile", "[][N+1]")));
}

TEST_CASE("a declaration spread over lines keeps them")
{
    CHECK(rewritten(in_kernel("extern __shared__\nfloat\ntile[];")) ==
          in_kernel(reference("float", "tile", "[]") + "\n\n"));
}

TEST_CASE("a dynamic shared array outside all functions is declared in those that name it")
{
    CHECK(rewritten("extern __shared__ int a[];\n"
                    "__global__ void k() { a[0] = 1; }\n"
                    "__global__ void m() { b[0] = 1; }\n"
                    "int main() { int a = 0; }\n") == "\n__global__ void k() { " +
                                                          reference("int", "a", "[]") +
                                                          " a[0] = 1; }\n"
                                                          "__global__ void m() { b[0] = 1; }\n"
                                                          "int main() { int a = 0; }\n");
    CHECK(rewritten("namespace n::m { extern \"C\" { extern __shared__ int a[];\n"
                    "__device__ int f(int i) { return a[i]; } } }") ==
          "namespace n::m { extern \"C\" { \n__device__ int f(int i) { " +
              reference("int", "a", "[]") + " return a[i]; } } }");
}

TEST_CASE("a static shared array is left to the compiler, but lies where vectors may")
{
    CHECK(rewritten(in_kernel("__shared__ float tile[32][33]; __shared__ int count;")) ==
          in_kernel("__shared__ __attribute__((aligned(16))) float tile[32][33]; "
                    "__shared__ int count;"));
    const std::string source = in_kernel("__shared__ __align__(8) float tile[32];");
    CHECK(rewritten(source) == source);
}

TEST_CASE("a static shared array loses the word that __shared__ implies")
{
    CHECK(rewritten(in_kernel("static __shared__ int a[4];")) ==
          in_kernel(" __shared__ __attribute__((aligned(16))) int a[4];"));
    CHECK(rewritten(in_kernel("__shared__ static int a[4];")) ==
          in_kernel("__shared__ __attribute__((aligned(16)))  int a[4];"));
}

TEST_CASE("braces in macros do not hide the scope of a declaration")
{
    CHECK(rewritten("#define BEGIN {\nextern __shared__ int a[];\n") == "#define BEGIN {\n\n");
}

TEST_CASE("a declaration that is not understood is refused with its line")
{
    const std::string sentence =
        "this 'extern __shared__' declaration is not supported; declare one array at a time, as in "
        "'extern __shared__ float tile[];'.";
    CHECK(refusal("\nextern __shared__ float a[], b[];") == "x.cu:2: " + sentence);
    CHECK(refusal("extern __shared__ float a") == "x.cu:1: " + sentence);
    CHECK(refusal("extern __shared__ a[];") == "x.cu:1: " + sentence);
}

TEST_CASE("an alignment goes in front of the words of a static array's type")
{
    CHECK(rewritten(in_kernel("__shared__ alignas(16) float a[4];")) ==
          in_kernel("alignas(16) __shared__  float a[4];"));
    CHECK(rewritten(in_kernel("__shared__ float alignas(16) a[4];")) ==
          in_kernel("alignas(16) __shared__ float  a[4];"));
    const std::string source = in_kernel("alignas(16) __shared__ float a[4];");
    CHECK(rewritten(source) == source);
}
