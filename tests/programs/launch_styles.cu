// Every way to write a launch and its arguments that a compiler of CUDA accepts.
// RUN => 0 all launches arrived
#include <cstdio>
#include <functional>

struct Pair {
    int first, second;
};

template <typename T>
struct Scale {
    T factor;
    __host__ __device__ T operator()(T x) const { return factor * x; }
};

__global__ void converts(int* out, size_t n, double d, Pair p)
{
    out[threadIdx.x] = static_cast<int>(n + d) + p.first * p.second;
}
__global__ void may_be_null(int* out, const int* maybe, int value = 7)
{
    if (maybe == nullptr)
        *out = value;
}
__global__ void dense(int*x){int y=*x;*x=y+1;}
__global__ void dense_with_barrier(int*x){__shared__ int y;y=*x;__syncthreads();*x=y+1;}
template <class T, class F>
__global__ void apply(T* x, F f)
{
    x[threadIdx.x] = f(x[threadIdx.x]);
}
template <int A, bool B>
__global__ void constants(int* out)
{
    *out = B ? A : -A;
}
namespace outer {
namespace inner {
__global__ void twice(int* x) { *x *= 2; }
} // namespace inner
} // namespace outer
// Each thread has parameters of its own.
__global__ void changes_parameters(int* out, int i)
{
    i += threadIdx.x;
    out += i;
    *out = i;
}

#define LAUNCH(kernel, grid, block, ...) kernel<<<(grid), (block)>>>(__VA_ARGS__)
#define RUN_ON_ONE(...) (__VA_ARGS__)<<<1, 1>>>(out)

static int failures = 0;
static void expect(int* managed, int value, const char* what)
{
    cudaDeviceSynchronize();
    if (*managed != value) {
        std::printf("%s: %d instead of %d\n", what, *managed, value);
        ++failures;
    }
}

class Runner {
public:
    explicit Runner(int* out) : out_(out) {}
    void run()
    {
        outer::inner::twice<<<1, 1>>>(out_);
        auto again = [this] { kernel_<<<1, 1>>>(out_); };
        again();
    }
    template <int N>
    void run()
    {
        constants<N, (N > 2)><<<1, 1>>>(out_);
    }

private:
    int* out_;
    void (*kernel_)(int*) = outer::inner::twice;
};

int main()
{
    int* out;
    cudaMallocManaged(&out, 64 * sizeof(int));
    cudaStream_t stream;
    cudaStreamCreate(&stream);

    converts<<<1, 1>>>(out, -1 + 3, 1, {3, 4});
    expect(out, 15, "braces and conversions");
    converts<<<1, dim3(1)>>>(out, sizeof(char), 2.5f, Pair{1, 1});
    expect(out, 4, "float to double");
    may_be_null<<<dim3{1}, dim3{1, 1}>>>(out, 0, 3);
    expect(out, 3, "0 as a pointer");
    may_be_null<<<1, 1>>>(out, NULL, 6);
    expect(out, 6, "NULL");
    may_be_null<<<1, 1>>>(out, nullptr);
    expect(out, 7, "a default argument");
    may_be_null<<<1, 1, 0, stream>>>(out, nullptr, 'a');
    expect(out, 'a', "nullptr");
    apply<<<1, 1>>>(out, Scale<int>{3});
    expect(out, 3 * 'a', "deduced template arguments");
    *out = 5;
    apply<int, Scale<int>><<<1, 1>>>(out, {4});
    expect(out, 20, "nested template arguments");
    dense<<<1,1>>>(out);
    dense_with_barrier<<<1,1>>>(out);
    expect(out, 22, "no blank anywhere");
    constants<(3 > 2), (8 >> 1) == 4><<<1 << 0, 32 >> 5>>>(out);
    expect(out, 1, "comparisons and shifts");
    outer::inner::twice<<<1, 1>>>(out);
    ::outer::inner::twice<<<1, 1>>>(out);
    expect(out, 4, "namespaces");
    LAUNCH(may_be_null, 1, 1, out, nullptr, 9);
    expect(out, 9, "a macro");
    RUN_ON_ONE(constants<6, false>);
    expect(out, -6, "a macro with a kernel as its argument");
    Runner(out).run();
    expect(out, -24, "a member function, a lambda, a function pointer");
    Runner(out).run<3>();
    expect(out, 3, "a member template");
    int next = 10;
    may_be_null<<<1, 64>>>(out, nullptr, next++);
    expect(out, 10, "an argument with an effect");
    expect(&next, 11, "an argument evaluated once");
    changes_parameters // a launch on six lines
        <<<
            1, /* >>> */
            64
        >>>
        (out, 0);
    expect(out + 63, 63, "parameters of its own");
    std::puts(failures ? "FAILED" : "all launches arrived");
    return failures;
}
