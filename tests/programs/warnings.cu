// What a program is told of, and goes on: races, memory that nothing has written, shuffles and barriers without partners.
#include <cstdlib>
#include <utility>
#include "cases.hpp"

// CASE adds_to_unwritten
// A kernel adds to memory that nothing has set to 0: on a GPU that is often right by luck.
// RUN => 0 (?s)\A(?!.*Warning:\s+kernel\s+right\s).*Warning:\s+kernel\s+add\s.*thread\s+\(0,\s+0,\s+0\)\s+reads\s+byte\s+0\s+of\s+allocation\s+2\s+at\s+warnings\.cu:@adds_to_unwritten,\s+which\s+has\s+not\s+been\s+written.*Warning:\s+kernel\s+add_shared\s.*of\s+__shared__\s+sum\s+at\s+warnings\.cu:@adds_to_unwritten_shared,
// RUN MOVING_BYTES_COUNT=all => 0 (?s)Warning:\s+kernel\s+add\s
namespace adds_to_unwritten {
struct Padded { double x; int n; };
__global__ void add(const int* in, int* sum)
{
    atomicAdd(sum, in[threadIdx.x]); // @adds_to_unwritten
}
__global__ void add_shared(const int* in, int* out)
{
    __shared__ int sum;
    sum += in[0]; // @adds_to_unwritten_shared
    *out = sum;
}
__global__ void right(const int* in, int* out, Padded* to, const Padded* from)
{
    __shared__ int s[64];
    s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = s[63 - threadIdx.x];
    to[threadIdx.x] = from[threadIdx.x];
}
CASE(adds_to_unwritten)
{
    int *in = array<int>(64), *sum = uninitialized<int>(1), *out = uninitialized<int>(64);
    add<<<1, 64>>>(in, sum);
    add_shared<<<1, 1>>>(in, out);
    right<<<1, 64>>>(in, out, uninitialized<Padded>(64), array<Padded>(64));
}
} // namespace adds_to_unwritten

// CASE second_device
// RUN => 0 warnings\.cu:@second_device\s+returned\s+cudaErrorInvalidDevice[^$]*\nWith --devices 2 to 4, the program sees several devices\.\n
CASE(second_device)
{
    printf("%d\n", cudaSetDevice(1)); // @second_device
}

// CASE first_unwritten
// Of the blocks that read what nothing has written the first is told.
// RUN => 0 (?s)Warning:\s+kernel\s+copy_unwritten\s.*block\s+\(0,\s+0,\s+0\):\s+thread\s+\(0,\s+0,\s+0\)\s+reads\s+byte\s+0\s
__global__ void copy_unwritten(const int* from, int* to) { to[blockIdx.x] = from[blockIdx.x]; }
CASE(first_unwritten)
{
    copy_unwritten<<<4, 1>>>(uninitialized<int>(4), uninitialized<int>(4));
}

// CASE unwritten
// What a kernel leaves unwritten is told where it reaches the host.
// RUN => 0 A copy to the host has 8 bytes that were never written, .* byte 0 of allocation 1 \(256 bytes, made at warnings\.cu:@unwritten\).*does its grid cover them, .* multiply the row by the width\?
__global__ void inner(float* o, int n) { int i = threadIdx.x; if (i > 0 && i < n - 1) o[i] = i; }
CASE(unwritten)
{
    float *d, h[64]; int wrong = 0;
    cudaMalloc(&d, sizeof h); // @unwritten
    inner<<<1, 64>>>(d, 64);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    if (h[0] != 0) wrong++; if (h[63] != 0) wrong++;
    printf("%d wrong (%g %g)\n", wrong, h[0], h[63]);
}

// CASE lost_update
// Lanes of a warp that load and then store one counter: as on a GPU, all updates but one are lost, and it is told.
// RUN => 0 (?s)\A1\n.*Warning:\s+kernel\s+inc.*32\s+threads\s+of\s+a\s+warp\s+read\s+byte\s+0\s+of\s+allocation\s+1\s+at\s+warnings\.cu:@lost_load,\s+and\s+then\s+write\s+it\s+at\s+warnings\.cu:@lost_store
// RUN MOVING_BYTES_COUNT=all => 0 \A1\n
__global__ void inc(int* c)
{
    int old = *c; // @lost_load
    *c = old + 1; // @lost_store
}
CASE(lost_update)
{
    int* c = array<int>(1);
    inc<<<1, 32>>>(c);
    printf("%d\n", downloaded(c, 1)[0]);
}

// CASE missing_barrier_last_warp
// No barrier between the loop of a reduction and its last warp: both lines are told.
// RUN => 0 (?s)Warning:\s+kernel\s+sum.*of\s+__shared__\s+s\s+at\s+warnings\.cu:@last_load,\s+which\s+thread\s+\(\d+,\s+0,\s+0\)\s+writes\s+at\s+warnings\.cu:@last_store\s+with\s+no\s+__syncthreads\(\)
namespace missing_barrier_last_warp {
__global__ void sum(const int* in, int* out)
{
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = in[t];
    for (int o = 128; o > 32; o >>= 1) {
        __syncthreads();
        if (t < o) s[t] += s[t + o]; // @last_store
    }
    if (t < 32) for (int o = 32; o; o >>= 1) { int x = s[t + o]; __syncwarp(); s[t] += x; __syncwarp(); } // @last_load
    if (t == 0) *out = s[0];
}
CASE(missing_barrier_last_warp)
{
    int* out = uninitialized<int>(1);
    sum<<<1, 256>>>(array<int>(256), out);
    printf("%d\n", downloaded(out, 1)[0]);
}
} // namespace missing_barrier_last_warp

// CASE shuffle_exited
// A shuffle from lanes that the block has no threads for.
// RUN => 0 the shuffle at warnings\.cu:@shuffle_exited reads lane 16, which has exited
namespace shuffle_exited {
__global__ void sum(int* out)
{
    int v = 1;
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_down_sync(0xffffffff, v, d); // @shuffle_exited
    if (threadIdx.x == 0) *out = v;
}
CASE(shuffle_exited)
{
    int* out = managed_array<int>(1);
    sum<<<1, 16>>>(out);
    cudaDeviceSynchronize();
    printf("sum %d\n", *out);
}
} // namespace shuffle_exited

// CASE volatile_warp
// The last warp of a reduction by `volatile` alone, as samples for GPUs before Volta have it. It compiles without a
// warning, as do an asm without instructions and a structure that the host sets to 0.
// RUN => 0 sum 8128
// RUN MOVING_BYTES_SEED=3 => 0 sum 8128[^$]*without __syncwarp\(\)
template <unsigned size>
__device__ void reduce_warp(volatile int* s, unsigned t)
{
    if (size >= 64) s[t] += s[t + 32];
    if (size >= 32) s[t] += s[t + 16];
    if (size >= 16) s[t] += s[t + 8];
    if (size >= 8) s[t] += s[t + 4];
    if (size >= 4) s[t] += s[t + 2];
    if (size >= 2) s[t] += s[t + 1];
}
template <unsigned size>
__global__ void reduce(const int* in, int* out)
{
    extern __shared__ int s[];
    const unsigned t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    if (size >= 128) { if (t < 64) s[t] += s[t + 64]; __syncthreads(); }
    asm volatile("" ::: "memory");
    if (t < 32) reduce_warp<size>(s, t);
    if (t == 0) *out = s[0];
}
CASE(volatile_warp)
{
    struct Point { int x = 0, y = 0; } point;
    memset(&point, 0, sizeof point);
    int *in = managed_array<int>(128), *out = managed_array<int>(1);
    for (int i = 0; i < 128; ++i) in[i] = i;
    reduce<128><<<1, 128, 128 * sizeof(int)>>>(in, out);
    cudaDeviceSynchronize();
    printf("sum %d\n", *out);
}

// CASE volatile_global_warp
// The last warp of a reduction by a volatile pointer to global memory goes in step, as by one to shared memory.
// RUN => 0 (?s)\A2016\n.*Warning:\s+kernel\s+sum.*GPUs\s+before\s+Volta\s+ran\s+the\s+lanes\s+of\s+a\s+warp\s+in\s+lockstep
// RUN MOVING_BYTES_COUNT=1 => 0 \A2016\n
namespace volatile_global_warp {
__global__ void sum(int* g)
{
    unsigned t = threadIdx.x;
    if (t < 32) {
        volatile int* v = g;
        v[t] += v[t + 32]; v[t] += v[t + 16]; v[t] += v[t + 8];
        v[t] += v[t + 4];  v[t] += v[t + 2];  v[t] += v[t + 1];
    }
}
CASE(volatile_global_warp)
{
    std::vector<int> h(64);
    for (int i = 0; i < 64; i++) h[i] = i;
    int* d = uploaded(h);
    sum<<<1, 64>>>(d);
    printf("%d\n", downloaded(d, 1)[0]);
}
} // namespace volatile_global_warp

// CASE called_as_function
// A kernel that the host calls as a function is a function of the host, where nvcc's stub does nothing: it may not use memory of a device.
// One of its parameters is named as a type.
// RUN => 6 Host code at warnings\.cu:@called_as_function reads from device memory, inside allocation 1 \(16 bytes\); the host cannot reach it: copy it with cudaMemcpy\.
namespace called_as_function {
__global__ void add(int* a, int dim3)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < dim3) a[i] += i; // @called_as_function
}
template<class Kernel, class... Arguments>
void benchmark(Kernel kernel, Arguments&&... arguments)
{
    for (int i = 0; i < 3; ++i)
        kernel(std::forward<Arguments>(arguments)...);
}
CASE(called_as_function)
{
    int* a = array<int>(4);
    add<<<1, 32>>>(a, 3);
    benchmark(add, a, 4);
}
} // namespace called_as_function

// CASE symbol_of_device
// A GPU has __device__ and __constant__ variables of its own; here all devices have the same ones, and that is said.
// RUN => 0 ^one device(?![^$]*the CPU device has one)
// RUN MOVING_BYTES_DEVICES=2 => 0 two devices[^$]*cudaMemcpyToSymbol\(\) on device 1 overwrites the value for device 0: the CPU device has one such variable
// RUN MOVING_BYTES_DEVICES=2 => 0 kernel count .* on device 0, block \(0, 0, 0\), thread \(0, 0, 0\): writes a __device__ variable, of which the CPU device has one for all devices
namespace symbol_of_device {
__constant__ float factor;
__device__ int counter;

__global__ void count() { atomicAdd(&counter, 1); }

CASE(symbol_of_device)
{
    int devices;
    cudaGetDeviceCount(&devices);
    printf(devices == 1 ? "one device\n" : "two devices\n");
    for (int d = 0; d < devices; ++d) {
        cudaSetDevice(d);
        float value = 1.0f + d;
        cudaMemcpyToSymbol(factor, &value, sizeof value);
        count<<<1, 32>>>();
    }
}
} // namespace symbol_of_device

// CASE shared_allowance
// cudaFuncSetAttribute allows one kernel more shared memory, and no other.
// RUN => 0 first: no error\nother: invalid argument\nfloat: no error\nint: invalid argument
// RUN => 0 warnings\.cu:@shared_allowance: the launch of kernel other requests 65536 bytes of dynamic shared .* is 49152\. cudaFuncSetAttribute raises
// RUN => 0 kernel first requests 232449 bytes of dynamic shared .* is 65536\. Have each block work on fewer elements
__global__ void first(float* x)
{
    extern __shared__ float tile[];
    tile[threadIdx.x] = 1;
    x[threadIdx.x] = tile[threadIdx.x];
}

__global__ void other(float* x) { x[threadIdx.x] = 1; }

template<class T>
__global__ void typed(T* x)
{
    x[threadIdx.x] = 1;
}

CASE(shared_allowance)
{
    const int bytes = 64 * 1024;
    float* x = uninitialized<float>(32);
    cudaFuncSetAttribute(first, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    first<<<1, 32, bytes>>>(x);
    printf("first: %s\n", cudaGetErrorString(cudaGetLastError()));
    other<<<1, 32, bytes>>>(x); // @shared_allowance
    printf("other: %s\n", cudaGetErrorString(cudaGetLastError()));
    cudaFuncSetAttribute(typed<float>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    typed<<<1, 32, bytes>>>(x);
    printf("float: %s\n", cudaGetErrorString(cudaGetLastError()));
    typed<<<1, 32, bytes>>>(reinterpret_cast<int*>(x));
    printf("int: %s\n", cudaGetErrorString(cudaGetLastError()));
    first<<<1, 32, 232449>>>(x); // one more than any launch may have
}

// CASE unread_error
// A call that fails leaves everything as it was; on a GPU a program that does not ask never learns of it.
// RUN => 0 (?s)\A0\n.*Warning: a runtime call at warnings\.cu:@unread_error returned\scudaErrorInvalidValue\s\(invalid\sargument:\sthe\scopy's\sdirection
namespace unread_error {
__constant__ float factor;
__global__ void k(float* x) { *x = factor; }
CASE(unread_error)
{
    float* d = uninitialized<float>(1);
    cudaMemcpyToSymbol(factor, d, 4); // @unread_error
    k<<<1, 1>>>(d);
    printf("%g\n", downloaded(d, 1)[0]);
}
} // namespace unread_error

// CASE checked_error
// A program that ends at a call that failed learns why it did.
// RUN => 1 (?s)invalid argument, line @checked_error\n.*Warning: a runtime call at warnings\.cu:@checked_error returned.*smaller\sthan\sthe\scopy\)\.\n
#define CHECK(call) \
    if (cudaError_t status = call) \
        printf("%s, line %d\n", cudaGetErrorString(status), __LINE__), exit(1)
CASE(checked_error)
{
    float *d, h[100]; CHECK(cudaMalloc(&d, 100));
    CHECK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost)); // @checked_error
}

// CASE asked_for_errors
// What a program asks for is not told once more.
// RUN => 0 (?s)\A2 invalid argument\n(?!.*Warning)
namespace asked_for_errors {
__global__ void k(float* x) { *x = 2; }
CASE(asked_for_errors)
{
    float *d = uninitialized<float>(1), h[2];
    cudaMemcpy(h, d, 8, cudaMemcpyDeviceToHost);
    const char* said = cudaGetErrorString(cudaGetLastError());
    k<<<1, 1>>>(d);
    printf("%g %s\n", downloaded(d, 1)[0], said);
}
} // namespace asked_for_errors

// CASE count_of_elements
// A copy of so many elements, given as a number of bytes.
// RUN => 0 (?s)Warning:\s+kernel\s+double_all\s.*byte\s+1000\s+of\s+allocation\s+1\s.*cudaMemcpy\(\)\s+at\s+warnings\.cu:@count_of_elements\s+has\s+filled\s+only\s+the\s+first\s+1000\s+of\s+4000\s+bytes
// RUN WHOLE=1 => 0 (?s)\A(?!.*Warning)
__global__ void double_all(float* x, int n) { int i = threadIdx.x; if (i < n) x[i] *= 2; }
CASE(count_of_elements)
{
    const std::vector<float> values(1000, 1);
    const std::size_t n = std::getenv("WHOLE") ? 1000 * sizeof(float) : 1000;
    float* x = uninitialized<float>(1000);
    cudaMemcpy(x, values.data(), n, cudaMemcpyHostToDevice); // @count_of_elements
    double_all<<<1, 1024>>>(x, 1000);
}

// CASE lost_print
// A program that ends before a GPU has shown what its kernel prints.
// RUN => 0 (?s)hello.*Warning:\s+the\s+program\s+ends\s+without\s+waiting\s+for\s+kernel\s+greet\s+\(launched\s+at\s+warnings\.cu:@greet\)
// RUN WAIT=1 => 0 (?s)\A(?!.*Warning).*hello
__global__ void greet() { printf("hello\n"); }
CASE(lost_print)
{
    greet<<<1, 1>>>(); // @greet
    if (std::getenv("WAIT")) cudaDeviceSynchronize();
    std::exit(0);
}

// CASE error_of_earlier_call
// An error that nobody has asked for is taken for that of the next kernel.
// RUN => 0 invalid argument\n[^$]*The error that cudaGetLastError\(\) returns is not the last kernel's: before its launch, the call at warnings\.cu:@freed_twice returned cudaErrorInvalidValue \(invalid argument: this memory is freed already\)\.\n
// RUN AT_ONCE=1 => 0 (?s)\A(?!.*The error that).*invalid argument
CASE(error_of_earlier_call)
{
    int *x = uninitialized<int>(64), *y = array<int>(64);
    cudaFree(x);
    cudaFree(x); // @freed_twice
    if (std::getenv("AT_ONCE")) printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    copy_unwritten<<<4, 1>>>(y, y);
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}

// CASE symbol_by_name
// The name of a variable of the device is no address there.
// RUN => 0 (?s)warnings\.cu:@symbol_by_name\s+returned\s+cudaErrorInvalidValue\s.*use\s+cudaMemcpyToSymbol\(\)
__device__ float weights[16];
__global__ void weigh(float* x) { x[threadIdx.x] *= weights[threadIdx.x]; }
CASE(symbol_by_name)
{
    const float host[16] = {};
    cudaMemcpy(weights, host, sizeof host, cudaMemcpyHostToDevice); // @symbol_by_name
    weigh<<<1, 16>>>(array<float>(16));
}

// CASE virtual_of_host
// The table of virtual functions is where an object was made.
// RUN => 0 (?s)9 no error.*warnings\.cu:@virtual_of_host: an object with virtual functions comes from the host
struct Shape { __host__ __device__ virtual float area() const = 0; };
struct Square : Shape
{
    float side = 3;
    __host__ __device__ float area() const override { return side * side; }
};
__global__ void measure(const Shape* shape, float* out) { *out = shape->area(); }
CASE(virtual_of_host)
{
    const Square square;
    Square* x = uninitialized<Square>(1);
    cudaMemcpy(x, &square, sizeof square, cudaMemcpyHostToDevice); // @virtual_of_host
    float* area = array<float>(1);
    measure<<<1, 1>>>(x, area);
    printf("%g ", downloaded(area, 1)[0]);
}
