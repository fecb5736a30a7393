// Types, functions and instructions that CUDA adds to C++. libcu++'s header comes before any other.
#include <cuda/atomic>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <sm_61_intrinsics.h>
#include "cases.hpp"

// CASE atomic_first
// cuda::atomic in C++17, and its header before any other.
// RUN => 0 \A128\n
namespace atomic_first {
__global__ void k(cuda::atomic<int, cuda::thread_scope_device>* a) { a->fetch_add(1); }
CASE(atomic_first)
{
    auto* a = managed_array<cuda::atomic<int, cuda::thread_scope_device>>(1);
    k<<<2, 64>>>(a);
    cudaDeviceSynchronize();
    printf("%d\n", a->load());
}
} // namespace atomic_first

// CASE half_atomics
// Atomic additions of half precision and of pairs.
// RUN => 0 one 64, pair 64 128
__global__ void add(__half* one, __half2* pair)
{
    atomicAdd(one, __float2half(1.0f));
    atomicAdd(pair, __floats2half2_rn(1.0f, 2.0f));
}
CASE(half_atomics)
{
    __half* one = managed_array<__half>(1);
    __half2* pair = managed_array<__half2>(1);
    add<<<2, 32>>>(one, pair);
    cudaDeviceSynchronize();
    printf("one %g, pair %g %g\n", __half2float(*one), __low2float(*pair), __high2float(*pair));
}

// CASE half_axpy
// Half precision by pairs: 4 bytes an access, rounded as a GPU rounds.
// RUN => 0 y\[3\] 9.5, overflow inf, subnormal 0002, rounded 2048
__global__ void axpy(int n, half a, const half* x, half* y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const half2 a2 = __half2half2(a);
    if (i < n / 2) reinterpret_cast<half2*>(y)[i] = __hfma2(a2, reinterpret_cast<const half2*>(x)[i], reinterpret_cast<half2*>(y)[i]);
}
__global__ void convert(const float* in, half* out) { out[threadIdx.x] = __float2half(in[threadIdx.x]); }
CASE(half_axpy)
{
    const int n = 256;
    float* in = managed_array<float>(n);
    half *x = managed_array<half>(n), *y = managed_array<half>(n);
    for (int i = 0; i < n; ++i) in[i] = i;
    convert<<<1, n>>>(in, x);
    for (int i = 0; i < n; ++i) in[i] = 0.5f;
    convert<<<1, n>>>(in, y);
    axpy<<<1, 128>>>(n, __float2half(3.0f), x, y);
    cudaDeviceSynchronize();
    printf("y[3] %g, overflow %g, subnormal %04x, rounded %g\n", __half2float(y[3]), float(half(70000.0f)),
           __half_as_ushort(half(1.2e-7f)), float(__hadd(half(2047.0f), half(1.5f))));
}

// CASE bfloat_sum
// bfloat16: the range of float with 8 bits of mantissa, and sums in float.
// RUN => 0 sum 4096 by float, 256 by bfloat16, large 3.39e\+38
__global__ void sums(const __nv_bfloat16* x, int n, float* wide, __nv_bfloat16* narrow)
{
    float f = 0;
    __nv_bfloat16 b = __float2bfloat16(0.0f);
    for (int i = 0; i < n; ++i) {
        f += __bfloat162float(x[i]);
        b = __hadd(b, x[i]);
    }
    *wide = f;
    *narrow = b;
}
CASE(bfloat_sum)
{
    const int n = 4096;
    __nv_bfloat16 *x = managed_array<__nv_bfloat16>(n), *narrow = managed_array<__nv_bfloat16>(1);
    float* wide = managed_array<float>(1);
    for (int i = 0; i < n; ++i) x[i] = __float2bfloat16(1.0f);
    sums<<<1, 1>>>(x, n, wide, narrow);
    cudaDeviceSynchronize();
    printf("sum %g by float, %g by bfloat16, large %.3g\n", *wide, __bfloat162float(*narrow), __bfloat162float(__float2bfloat16(3.39e38f)));
}

// CASE sm_61_intrinsics
// A header of the toolkit that samples include.
// RUN => 0 \A70\n
__global__ void dot(int a, int b, int* o) { *o = __dp4a(a, b, 0); }
CASE(sm_61_intrinsics)
{
    int* d = uninitialized<int>(1);
    dot<<<1, 1>>>(0x04030201, 0x08070605, d);
    printf("%d\n", downloaded(d, 1)[0]);
}

// CASE inline_ptx
// The instructions of PTX that teaching code has: lane ids, masks, and loads with a cache hint.
// RUN => 0 lanes right, lower 0000007f, copied 31
namespace inline_ptx {
__device__ unsigned lane_id()
{
    unsigned id;
    asm("mov.u32 %0, %%laneid;" : "=r"(id));
    return id;
}
__device__ float load_streaming(const float* p)
{
    float v;
    asm volatile("ld.global.cs.f32 %0, [%1];" : "=f"(v) : "l"(p));
    return v;
}
__global__ void k(unsigned* lanes, unsigned* lower, const float* in, float* out)
{
    unsigned mask;
    asm volatile("mov.u32 %0, %lanemask_lt;" : "=r"(mask));
    lanes[threadIdx.x] = lane_id();
    if (threadIdx.x == 7) *lower = mask;
    asm volatile("st.global.cg.f32 [%0], %1;" ::"l"(out + threadIdx.x), "f"(load_streaming(in + threadIdx.x)));
}
CASE(inline_ptx)
{
    unsigned *lanes = managed_array<unsigned>(64), *lower = managed_array<unsigned>(1);
    float *in = managed_array<float>(64), *out = managed_array<float>(64);
    for (int i = 0; i < 64; ++i) in[i] = i;
    k<<<1, 64>>>(lanes, lower, in, out);
    cudaDeviceSynchronize();
    bool right = true;
    for (int i = 0; i < 64; ++i) right = right && lanes[i] == i % 32;
    printf("lanes %s, lower %08x, copied %g\n", right ? "right" : "wrong", *lower, out[31]);
}
} // namespace inline_ptx

// CASE device_clock
// clock() and clock64() in a kernel go on as the device's clock rate says.
// RUN => 0 waited true, elapsed true
__global__ void wait(clock_t ticks, long long* elapsed, long long* nanoseconds)
{
    unsigned long long begin_ns, end_ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin_ns));
    const long long begin64 = clock64();
    const clock_t begin = clock();
    while (clock() - begin < ticks) {}
    elapsed[threadIdx.x] = clock64() - begin64;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(end_ns));
    nanoseconds[threadIdx.x] = end_ns - begin_ns;
}
CASE(device_clock)
{
    int khz = 0;
    cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0);
    long long *elapsed = managed_array<long long>(64), *nanoseconds = managed_array<long long>(64);
    wait<<<1, 64>>>(khz, elapsed, nanoseconds); // a millisecond, for all threads at a time
    cudaDeviceSynchronize();
    const double milliseconds = double(elapsed[0]) / khz;
    printf("waited %s, elapsed %s\n", milliseconds >= 1 && elapsed[63] >= khz ? "true" : "false",
           nanoseconds[0] >= 990000 ? "true" : "false");
}

// CASE vector_members
// Elements of a vector that change between two copies of it: the second copy has to see them, in a
// launch that is counted and in one that is not, behind a barrier and without one.
// RUN MOVING_BYTES_COUNT=1 => 0 all right
constexpr unsigned threads = 64;

template<class Vector>
__global__ void change(const Vector* in, const int* more, Vector* out)
{
    Vector v = in[threadIdx.x];
    v.y += more[threadIdx.x];
    v.x += 2;
    out[threadIdx.x] = v;
}

template<class Vector>
__global__ void change_behind_a_barrier(const Vector* in, const int* more, Vector* out)
{
    __shared__ int staged[threads];
    staged[threadIdx.x] = more[threadIdx.x];
    __syncthreads();
    Vector v = in[threadIdx.x];
    v.y += staged[threads - 1 - threadIdx.x];
    v.x += 2;
    out[threadIdx.x] = v;
}

int wrong = 0;

template<class Vector, class Kernel>
void try_kernel(const char* name, Kernel kernel)
{
    std::vector<Vector> in(threads);
    for (unsigned i = 0; i < threads; ++i) {
        in[i].x = i;
        in[i].y = i + 50;
    }
    const Vector* from = uploaded(in);
    const int* added = uploaded(std::vector<int>(threads, 3));
    Vector* to = uninitialized<Vector>(threads);
    for (int launch = 0; launch < 2; ++launch) {
        cudaMemset(to, 0, sizeof(Vector) * threads);
        kernel<<<1, threads>>>(from, added, to);
        const std::vector<Vector> out = downloaded(to, threads);
        for (unsigned i = 0; i < threads; ++i)
            if (out[i].x != in[i].x + 2 || out[i].y != in[i].y + 3) {
                std::printf("%s, launch %d, thread %u: wrong\n", name, launch, i);
                ++wrong;
                break;
            }
    }
}

template<class Vector>
void try_type(const char* name)
{
    try_kernel<Vector>(name, change<Vector>);
    try_kernel<Vector>(name, change_behind_a_barrier<Vector>);
}

CASE(vector_members)
{
    try_type<char2>("char2");
    try_type<uchar4>("uchar4");
    try_type<short2>("short2");
    try_type<ushort4>("ushort4");
    try_type<int2>("int2");
    try_type<int3>("int3");
    try_type<uint4>("uint4");
    try_type<longlong2>("longlong2");
    try_type<ulonglong4_16a>("ulonglong4_16a");
    try_type<float2>("float2");
    try_type<float4>("float4");
    try_type<double2>("double2");
    try_type<double4_16a>("double4_16a");
    if (wrong == 0)
        std::puts("all right");
}

// CASE atomics_with_orders
// The atomic functions of CUDA 12.8, which name an order and a scope.
// RUN => 0 \A4095 4096 6 1 2\.5 4095\n
namespace atomics_with_orders {
__global__ void largest(int* best, const int* x)
{
    const int mine = x[blockIdx.x * blockDim.x + threadIdx.x];
    int seen = __nv_atomic_load_n(best, __NV_ATOMIC_RELAXED);
    while (mine > seen && !__nv_atomic_compare_exchange_n(best, &seen, mine, true, __NV_ATOMIC_RELAXED,
                                                          __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE)) {}
    __nv_atomic_fetch_add(best + 1, 1, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    __nv_atomic_max(best + 4, mine, __NV_ATOMIC_RELAXED);
}
__global__ void others(int* out, float* sum)
{
    __nv_atomic_store_n(out, 7, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_BLOCK);
    __nv_atomic_sub(out, 1, __NV_ATOMIC_RELAXED);
    out[1] = __nv_atomic_exchange_n(out, 6, __NV_ATOMIC_ACQ_REL) == 6;
    __nv_atomic_add(sum, 2.5f, __NV_ATOMIC_SEQ_CST);
    __nv_atomic_thread_fence(__NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_SYSTEM);
}
CASE(atomics_with_orders)
{
    const int n = 4096;
    std::vector<int> x(n);
    for (int i = 0; i < n; ++i) x[i] = i * 37 % n;
    int* best = array<int>(6);
    largest<<<n / 128, 128>>>(best, uploaded(x));
    others<<<1, 1>>>(best + 2, (float*)(best + 5));
    const std::vector<int> result = downloaded(best, 6);
    float sum;
    memcpy(&sum, &result[5], sizeof sum);
    printf("%d %d %d %d %g %d\n", result[0], result[1], result[2], result[3], sum, result[4]);
}
} // namespace atomics_with_orders
