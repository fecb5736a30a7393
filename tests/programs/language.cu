// Ways of C++ that kernels and launches are written in.
// WITH -fopenmp
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <omp.h>
#include "cases.hpp"

// CASE launch_styles
// Every way to write a launch and its arguments that a compiler of CUDA accepts.
// RUN => 0 all launches arrived
namespace launch_styles {
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

CASE(launch_styles)
{
    int* out = managed_array<int>(64);
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
    ::launch_styles::outer::inner::twice<<<1, 1>>>(out);
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
}
} // namespace launch_styles

// CASE class_arguments
// Arguments with copy constructors and destructors: the host copies each once for a launch, and
// destroys that copy; the threads of the kernel have its bits.
// RUN => 0 all launches arrived; each copied once\n(.|\n)*6 kernel launches
// RUN MOVING_BYTES_SEED=3 => 0 all launches arrived; each copied once
namespace class_arguments {
int copies = 0, destroyed = 0;

/// Frees its memory, unless it is a copy.
template<class T>
class DeviceArray
{
  public:
    explicit DeviceArray(int size) : size_(size) { cudaMalloc(&data_, size * sizeof(T)); }
    DeviceArray(const DeviceArray& other) : data_(other.data_), owner_(false), size_(other.size_)
    {
        ++copies;
    }
    ~DeviceArray()
    {
        ++destroyed;
        if (owner_)
            cudaFree(data_);
    }
    __device__ T& operator[](int i) { return data_[i]; }
    __host__ __device__ int size() const { return size_; }
    __device__ void forget() { size_ = 0; }
    T* data() { return data_; }

  private:
    T* data_;
    bool owner_ = true;
    int size_;
};

/// Too large for registers.
struct Pair
{
    double values[5];
    ~Pair() { ++destroyed; }
};

__global__ void plain(DeviceArray<int> a, int first)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < a.size())
        a[i] = first + i;
    a.forget(); // of this thread alone
}

template<class T>
__global__ void deduced(T first, DeviceArray<T> a, Pair pair)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < a.size())
        a[i] = first + i + static_cast<int>(pair.values[4]);
}

template<class T>
__global__ void converted(DeviceArray<T> a, size_t first)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < a.size())
        a[i] = static_cast<T>(first) + i;
}

void check(const char* what, int* data, int first, int expected_copies, int expected_destroyed)
{
    int last = 0;
    cudaError_t status = cudaMemcpy(&last, data + 99, sizeof(int), cudaMemcpyDeviceToHost);
    if (status != cudaSuccess || cudaGetLastError() != cudaSuccess || last != first + 99 ||
        copies != expected_copies || destroyed != expected_destroyed) {
        printf("%s: %d, %d copies, %d destroyed\n", what, last, copies, destroyed);
        exit(1);
    }
    copies = destroyed = 0;
}

CASE(class_arguments)
{
    DeviceArray<int> a(100);
    Pair pair = {{0, 0, 0, 0, 7}};

    plain<<<1, 128>>>(a, 1);
    check("a kernel by its name", a.data(), 1, 1, 1);
    auto pointer = plain;
    pointer<<<1, 128>>>(a, 2);
    check("a kernel by a pointer", a.data(), 2, 1, 1);
    deduced<<<1, 128>>>(3, a, pair);
    check("deduced template arguments", a.data(), 10, 1, 2);
    deduced<int><<<1, 128>>>(4, a, pair);
    check("given template arguments", a.data(), 11, 1, 2);
    int first = 5;
    void* arguments[] = {&a, &first};
    cudaLaunchKernel(plain, dim3(1), dim3(128), arguments);
    check("cudaLaunchKernel", a.data(), 5, 0, 0);

    // A parameter that is not what is passed, of a template: here each thread makes it.
    converted<<<1, 128>>>(a, 6);
    cudaMemcpy(&first, a.data() + 99, sizeof(int), cudaMemcpyDeviceToHost);
    if (first != 6 + 99)
        return;
    printf("all launches arrived; each copied once\n");
}
} // namespace class_arguments

// CASE reference_parameter
// A kernel takes an object of managed memory by reference.
// RUN => 0 \A8\n
// RUN MOVING_BYTES_COUNT=1 => 0 \A8\n
namespace reference_parameter {
struct E { int value; };
__global__ void k(E& e) { e.value++; }
CASE(reference_parameter)
{
    E* e = managed_array<E>(1);
    e->value = 7;
    k<<<1, 1>>>(*e);
    cudaDeviceSynchronize();
    printf("%d\n", e->value);
}
} // namespace reference_parameter

// CASE variadic_kernel
// A template of any number of parameters, with its first argument given and the others deduced.
// RUN => 0 \A30 6 7\n
template<int factor, class... Numbers>
__global__ void total(int* sum, Numbers... numbers)
{
    *sum = 0;
    for (int number : {0, int(numbers)...})
        *sum += factor * number;
}
CASE(variadic_kernel)
{
    int* sum = managed_array<int>(3);
    total<3><<<1, 1>>>(sum, 1, 2.5f, 7);
    total<1, int><<<1, 1>>>(sum + 1, 2, 4);
    total<1, int><<<1, 1>>>(sum + 2, 7);
    cudaDeviceSynchronize();
    printf("%d %d %d\n", sum[0], sum[1], sum[2]);
}

// CASE user_names
// Names that a later C++ or another header has are the program's own in C++17.
// RUN => 0 lerp 2 clamp 1 midpoint 3
namespace user_names {
using namespace std;
__device__ inline float lerp(float start, float end, float weight) { return fma(weight, end, fma(-weight, start, start)); }
__host__ __device__ inline float clamp(float x, float low, float high) { return fminf(fmaxf(x, low), high); }
__device__ int midpoint(int a, int b) { return (a + b) / 2; }
struct span { int n; };
__global__ void k(float* out, span s) { out[0] = lerp(1.f, 3.f, 0.5f); out[1] = clamp(5.f, 0.f, 1.f); out[2] = midpoint(s.n, 5); }
CASE(user_names)
{
    float* out = managed_array<float>(3);
    k<<<1, 1>>>(out, span{1});
    cudaDeviceSynchronize();
    printf("lerp %g clamp %g midpoint %g\n", out[0], out[1], out[2]);
}
} // namespace user_names

// CASE launch_in_lambdas
// A constant of main() as the argument of a template that is launched in a lambda of a lambda.
// RUN => 0 \A3\n
namespace launch_in_lambdas {
#define TIME_RECORD(N, func) [&] { for (int r = 0; r < N; ++r) { func(); } return 0; }()
template <int B> __global__ void k(int* d, int M, int N) { if (threadIdx.x == 0) atomicAdd(d, 1); }
CASE(launch_in_lambdas)
{
    size_t M = 4, N = 5;
    constexpr size_t BLOCK = 32;
    int* d = array<int>(1);
    dim3 b3(BLOCK);
    dim3 g3(1);
    TIME_RECORD(3, ([&]{k<BLOCK><<<g3, b3>>>(d, M, N);}));
    printf("%d\n", downloaded(d, 1)[0]);
}
} // namespace launch_in_lambdas

// CASE launch_in_macro
// Launches in the argument and in the body of macros, with commas and over lines.
// RUN => 0 values 3 6 12 1024
namespace launch_in_macro {
#define CHECK(...) do { __VA_ARGS__; cudaError_t e = cudaGetLastError(); if (e != cudaSuccess) { printf("%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e)); exit(1); } } while (0)
#undef LAUNCH
#define LAUNCH(kernel, blocks, ...) kernel<<<blocks, 1>>>(__VA_ARGS__)
#define RUN_TYPED(T, grid, block, args) typed<T, 2><<<grid, block, 0, 0>>> args
#define FOR_EACH_SIZE(X) X(1) X(2)
#define SIZED(n) case n: sized<n><<<1, n>>>(x + 3); break;
__global__ void set(int* x, int v) { *x = v; }
template <typename T, int N> __global__ void typed(T* x, T v) { *x = v * N; }
template <int N> __global__ void sized(int* x) { atomicAdd(x, 512); }
CASE(launch_in_macro)
{
    int* x = managed_array<int>(4);
    int n = 2;
    CHECK((set<<<dim3(1, 1), 1>>>(x, 3)));
    CHECK(set<<<1, 1>>>(x + 1, 6));
    LAUNCH(set, 1, x + 2, 5);
    RUN_TYPED(int, 1, 1, (x + 2, 6));
    switch (n) { FOR_EACH_SIZE(SIZED) }
    CHECK(cudaDeviceSynchronize());
    printf("values %d %d %d %d\n", x[0], x[1], x[2], x[3]);
}
} // namespace launch_in_macro

// CASE host_namesake
// A function of the host with the name of the kernel that it launches.
// RUN => 0 \A7\n
__global__ void calc(int* data) { *data = 7; }
void calc()
{
    int* d = uninitialized<int>(1);
    calc<<<1, 1>>>(d);
    printf("%d\n", downloaded(d, 1)[0]);
}
CASE(host_namesake) { calc(); }

// CASE aligned_parameter
// A parameter that asks for more alignment than malloc() gives, in launches that run from barrier to barrier.
// RUN MOVING_BYTES_COUNT=1 => 0 \A0 misplaced[^$]*1 of them counted
struct alignas(256) Line { size_t value; };
__global__ void place(Line line, size_t* where)
{
    __syncthreads();
    where[threadIdx.x] = reinterpret_cast<size_t>(&line) + line.value;
}
CASE(aligned_parameter)
{
    const int threads = 1024;
    int misplaced = 0;
    size_t* where = managed_array<size_t>(threads);
    for (int repeat = 0; repeat < 3; ++repeat) {
        place<<<1, threads>>>(Line{1}, where);
        cudaDeviceSynchronize();
        for (int i = 0; i < threads; ++i) misplaced += where[i] % alignof(Line) != 1;
    }
    printf("%d misplaced\n", misplaced);
}

// CASE missing_return
// A function of the host that ends without the return that it owes: as without optimisation, it goes on behind the call.
// RUN => 0 \Aok 4950\n
#pragma GCC diagnostic ignored "-Wreturn-type"
__global__ void fill(int* x) { x[threadIdx.x] = threadIdx.x; }
bool verify(int* x, int n)
{
    int s = 0;
    for (int i = 0; i < n; i++) {
        s += x[i];
        if (x[i] != i) { printf("wrong at %d\n", i); return false; }
    }
    printf("ok %d\n", s);
}
CASE(missing_return)
{
    int* x;
    cudaMallocHost(&x, 400);
    fill<<<1, 100>>>(x);
    cudaDeviceSynchronize();
    verify(x, 100);
}

// CASE shift_by_width
// A shift by as many bits as there are leaves none of them on a GPU, where the host's would shift by 0.
// RUN => 0 \A0 0 -1 0 0 -1 0 31 0\n
namespace shift_by_width {
template<class T>
struct Bits
{
    T value;
};
__global__ void k(int* o, unsigned lane)
{
    unsigned all = 0xffffffffu;
    const Bits<Bits<int>> one = {{1}};
    unsigned char bytes[2] = {255, 1};
    enum Place { last = 32 };
    constexpr unsigned width = 32;
    o[0] = __popc(all << (32 - lane));
    o[1] = __popc(all >> 32 - lane);
    o[2] = (one.value.value << (lane + 32)) - 1;
    o[3] = bytes[0] >> (lane + 40);
    o[4] = 1LL << (64 + lane) >> last;
    o[5] = -17 >> width + lane;
    o[6] = all >> -1 + static_cast<int>(lane);
    int shared[1 << (width / 16)] = {};
    o[7] = __ffs(1 << (width - 2)) + shared[lane];
    o[8] = __popcll(~0ull << lane - 1 + width * 2 - 64) + (1 << width / 4 * 4 % 32) - 1;
}
CASE(shift_by_width)
{
    int* o = managed_array<int>(9);
    k<<<1, 1>>>(o, 0);
    cudaDeviceSynchronize();
    for (int i = 0; i < 9; ++i)
        printf("%d%c", o[i], " \n"[i == 8]);
}
} // namespace shift_by_width

// CASE printf_order
// The lanes of a warp print one statement after the other, each in their order.
// RUN => 0 \Alane: 0 1 2 3 4 5 6 7 \n
// RUN MOVING_BYTES_SEED=1 => 0 \Alane: 
__global__ void show()
{
    int t = threadIdx.x;
    if (t == 0) printf("lane: ");
    printf("%d ", t);
    if (t == 0) printf("\n");
}
CASE(printf_order)
{
    show<<<1, 8>>>();
}

// CASE openmp_host
// Threads of the host by OpenMP, each with its own launches.
// WITH -fopenmp
// RUN => 0 threads 4, all right
__global__ void scale(int* x, int f) { x[threadIdx.x] *= f; }
CASE(openmp_host)
{
    int* x = managed_array<int>(4 * 32);
    for (int i = 0; i < 128; ++i) x[i] = i;
    int threads = 0;
#pragma omp parallel num_threads(4)
    {
        const int id = omp_get_thread_num();
        scale<<<1, 32>>>(x + 32 * id, id + 1);
        cudaDeviceSynchronize();
#pragma omp atomic
        ++threads;
    }
    bool right = true;
    for (int i = 0; i < 128; ++i) right = right && x[i] == i * (i / 32 + 1);
    printf("threads %d, all %s\n", threads, right ? "right" : "wrong");
}

// CASE error_enumerators
// Helpers of older samples name every error of the runtime.
// RUN => 0 \A0\n
CASE(error_enumerators)
{
    cudaError_t e = cudaGetLastError();
    switch (e) {
    case cudaErrorMapBufferObjectFailed: puts("map"); break;
    case cudaErrorInvalidTexture: puts("texture"); break;
    default: printf("%d\n", e);
    }
}

// CASE arch_guard
// Code that asks for __CUDA_ARCH__, which the CPU device defines for all of a file.
// SLOW
// RUN => 0 device 900 host 900 count 32
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 600
__device__ double atomicAdd(double* address, double value) { return 0; }
#endif
__host__ __device__ int side()
{
#ifdef __CUDA_ARCH__
    return __CUDA_ARCH__;
#else
    return -1;
#endif
}
__global__ void fill_guarded(int* a, double* sum)
{
#if __CUDA_ARCH__ >= 700
    a[threadIdx.x] = side();
    atomicAdd(sum, 1.0);
#endif
}
CASE(arch_guard)
{
    int* a = managed_array<int>(32);
    double* sum = managed_array<double>(1);
    fill_guarded<<<1, 32>>>(a, sum);
    cudaDeviceSynchronize();
    printf("device %d host %d count %g\n", a[31], side(), *sum);
}
