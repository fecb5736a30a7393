// Launches as benchmarks repeat them: what runs at full speed, and what need not run.
// WITH -std=c++20
#include <cpu_device/launches.hpp>
#include <concepts>
#include <span>
#include "cases.hpp"

constexpr int n = 1 << 16, threads = 256, blocks = n / threads, repeats = 20;

// CASE same_uncounted
// They compute the same uncounted: by elements, with barriers, in warps, with atomics, and with all of a program's variables.
// RUN MOVING_BYTES_COUNT=2 => 0 \b0 wrong, 10 launches kept[^$]*executed and 10 of them counted[^$]*90 repeats ran at full speed
// RUN MOVING_BYTES_COUNT=all => 0 \b0 wrong, 100 launches kept[^$]*executed and counted
namespace same_uncounted {
constexpr int tile_side = 32;
__global__ void add(const float* a, const float* b, float* c, size_t n)
{
    const size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
__global__ void transpose(const float* in, float* out, int width)
{
    __shared__ float tile[tile_side][tile_side + 1];
    int x = blockIdx.x * tile_side + threadIdx.x, y = blockIdx.y * tile_side + threadIdx.y;
    for (int j = 0; j < tile_side; j += blockDim.y) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
    __syncthreads();
    x = blockIdx.y * tile_side + threadIdx.x, y = blockIdx.x * tile_side + threadIdx.y;
    for (int j = 0; j < tile_side; j += blockDim.y) out[(y + j) * width + x] = tile[threadIdx.x][threadIdx.y + j];
}
constexpr int side = 256;
template<class T>
__device__ T sum_of_warp(T value)
{
    for (int distance = 16; distance > 0; distance /= 2) value += __shfl_down_sync(0xffffffff, value, distance);
    return value;
}
template<class T>
__global__ void sum(const T* in, T* out)
{
    extern __shared__ T partial[];
    const T mine = sum_of_warp(in[blockIdx.x * blockDim.x + threadIdx.x]);
    if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = mine;
    __syncthreads();
    if (threadIdx.x >= 32) return;
    const T all = sum_of_warp(threadIdx.x < blockDim.x / 32 ? partial[threadIdx.x] : T());
    if (threadIdx.x == 0) out[blockIdx.x] = all;
}
static __device__ int calls;
__constant__ int step;
__device__ int first_of_row() { return threadIdx.x == 0; }
static __global__ void count_rows() { atomicAdd(&calls, step * first_of_row()); }
__global__ void halve(int* values, int count) // barriers in a loop, and threads that leave early
{
    if (threadIdx.x >= count) return;
    for (int half = count / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) values[threadIdx.x] += values[threadIdx.x + half];
        __syncthreads();
    }
}
template<class Launch>
void repeat(Launch launch)
{
    for (int i = 0; i < repeats; ++i) launch();
}
CASE(same_uncounted)
{
    std::vector<float> a(n), b(n);
    for (int i = 0; i < n; ++i) a[i] = i % 1000, b[i] = i % 7;
    float *da = uploaded(a), *db = uploaded(b), *dc = uninitialized<float>(n);
    int* values = managed_array<int>(64);
    int wrong = 0;
    repeat([&] { add<<<n / 256, 256>>>(da, db, dc, n); });
    std::vector<float> c = downloaded(dc, n);
    for (int i = 0; i < n; ++i) wrong += c[i] != a[i] + b[i];
    repeat([&] { transpose<<<dim3(side / 32, side / 32), dim3(32, 8)>>>(da, dc, side); });
    c = downloaded(dc, n);
    for (int i = 0; i < n; ++i) wrong += c[i] != a[i % side * side + i / side];
    repeat([&] { sum<float><<<n / 256, 256, 8 * sizeof(float)>>>(da, dc); });
    c = downloaded(dc, n / 256);
    for (int block = 0; block < n / 256; ++block) {
        float expected = 0;
        for (int i = 0; i < 256; ++i) expected += a[block * 256 + i];
        wrong += c[block] != expected;
    }
    const int three = 3;
    cudaMemcpyToSymbol(step, &three, sizeof three);
    repeat([&] { count_rows<<<4, dim3(32, 4)>>>(); });
    int counted = 0;
    cudaMemcpyFromSymbol(&counted, calls, sizeof counted);
    wrong += counted != 3 * 16 * repeats;
    repeat([&] {
        for (int i = 0; i < 64; ++i) values[i] = i;
        halve<<<1, 128>>>(values, 64);
        cudaDeviceSynchronize();
        wrong += values[0] != 2016;
    });
    printf("%d wrong, %zu launches kept\n", wrong, cpu_device::launches().size());
}
} // namespace same_uncounted

// CASE left_out
// A repeat that would leave all memory as it is need not run. All others must: each loop below shows one that would be
// missed if something that a kernel reads, writes or prints were forgotten.
// RUN MOVING_BYTES_COUNT=2 => 0 \b0 wrong, 1 of 2 kinds left out[^$]*called 20 times[^$]*repeats\s+were\s+skipped\s+because
// RUN MOVING_BYTES_COUNT=all => 0 \b0 wrong, 0 of 2 kinds left out[^$]*executed and counted
namespace left_out {
__device__ int late_blocks;
__device__ int step = 1;
struct Both { const int* in; int* out; };
__global__ void twice(const int* in, int* out) { const int i = blockIdx.x * threads + threadIdx.x; out[i] = 2 * in[i]; }
__global__ void twice_of(Both both) { const int i = blockIdx.x * threads + threadIdx.x; both.out[i] = 2 * both.in[i]; }
__global__ void add(int* out, int value) { out[blockIdx.x * threads + threadIdx.x] += value; }
__global__ void count_late() { if (blockIdx.x == blocks - 1 && threadIdx.x == 0) late_blocks += step; }
__global__ void store_step(int* out) { out[blockIdx.x * threads + threadIdx.x] = step; }
__global__ void tell() { if (threadIdx.x == 0) printf("called\n"); }
CASE(left_out)
{
    int *a = uninitialized<int>(n), *b = uninitialized<int>(n), *scratch = uninitialized<int>(n);
    int wrong = 0;
    const auto expect = [&](const int* from, int value) {
        for (int element : downloaded(from, n)) wrong += element != value;
    };
    const auto set = [](int* to, int value) {
        const std::vector<int> host(n, value);
        cudaMemcpy(to, host.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    };
    // Left out, with a fill of other memory between, as benchmarks do.
    set(a, 1);
    for (int i = 0; i < repeats; ++i) cudaMemset(scratch, 0, n * sizeof(int)), twice<<<blocks, threads>>>(a, b);
    expect(b, 2);
    // Its input is another one, by a copy, by a fill, by a kernel; its output is spoilt.
    for (int i = 0; i < repeats; ++i) set(a, i), twice<<<blocks, threads>>>(a, b), expect(b, 2 * i);
    for (int i = 0; i < repeats; ++i) cudaMemset(a, i, n * sizeof(int)), twice<<<blocks, threads>>>(a, b), expect(b, 2 * 0x01010101 * i);
    for (int i = 0; i < repeats; ++i) set(b, 5), twice<<<blocks, threads>>>(a, b), expect(b, 2 * 0x01010101 * (repeats - 1));
    set(a, 0);
    for (int i = 1; i <= repeats; ++i) add<<<blocks, threads>>>(a, 1), twice<<<blocks, threads>>>(a, b), expect(b, 2 * i);
    // Adding nothing changes nothing, adding something does.
    for (int i = 0; i < 2 * repeats; ++i) add<<<blocks, threads>>>(a, i < repeats ? 0 : 1);
    expect(a, 2 * repeats);
    // Other arguments, the same bytes of memory.
    set(a, 3), set(b, 4);
    for (int i = 0; i < repeats; ++i) twice_of<<<blocks, threads>>>(i % 2 ? Both{a, scratch} : Both{b, scratch}), expect(scratch, i % 2 ? 6 : 8);
    // Variables of the program: one that the last block alone counts in, one that the host sets.
    for (int i = 0; i < repeats; ++i) count_late<<<blocks, threads>>>();
    int late = 0;
    cudaMemcpyFromSymbol(&late, late_blocks, sizeof late);
    wrong += late != repeats;
    for (int i = 0; i < 3 * repeats; ++i) {
        if (const int value = i / 10; i % 10 == 0) cudaMemcpyToSymbol(step, &value, sizeof value);
        store_step<<<blocks, threads>>>(a);
        if (i % 10 == 9) expect(a, i / 10);
    }
    // Printing is an effect, too.
    for (int i = 0; i < repeats; ++i) tell<<<1, threads>>>();
    // The host writes managed memory while nobody looks.
    int* shared = managed_array<int>(n);
    for (int i = 0; i < repeats; ++i) {
        for (int j = 0; j < n; ++j) shared[j] = i;
        twice<<<blocks, threads>>>(shared, b);
        expect(b, 2 * i);
    }
    cudaFree(shared);
    std::uint64_t left_out = 0, printing = 0;
    for (const auto& launch : cpu_device::launches()) (launch.kernel == "tell" ? printing : left_out) += launch.left_out;
    std::printf("%d wrong, %d of 2 kinds left out; called %d times\n", wrong, (left_out > 0) + (printing > 0), repeats);
}
} // namespace left_out

// CASE standard_20
// C++20 on request: concepts and spans.
// SLOW
// RUN => 0 sum 6
template <std::integral T>
__global__ void add_up(T* out, std::span<const T> in) { for (const T x : in) *out += x; }
CASE(standard_20)
{
    int *out = managed_array<int>(1), *in = managed_array<int>(3);
    for (int i = 0; i < 3; ++i) in[i] = i + 1;
    add_up<<<1, 1>>>(out, std::span<const int>(in, 3));
    cudaDeviceSynchronize();
    printf("sum %d\n", *out);
}
