// Kernels that nobody had in mind when the time model was made, at sizes that fill a GPU: gathers,
// sums, histograms, products of matrices.
//
// first_sight: on a GPU, the time of each with a cold cache; on the CPU device, what the model says
// of an H200. Either way JSON on standard output. The model's stands in
// book/results/cpu/first_sight.json, and beside it, in first_sight_at_first.json, what it was at
// first sight, which nothing can record again. The times in
// book/results/nvidia-h200/first_sight.json are from before this program: the best of five launches
// after a flush of the L2. This one prints the median of more.
#include "common/device/check.hpp"
#include "common/device/device.hpp"
#include "common/device/measure.hpp"
#include "common/device/memory.hpp"
#include "common/model/time_model.hpp"

#include <cpu_device/counts.hpp>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace {

constexpr std::size_t elements = std::size_t{1} << 26;
constexpr int side = 8192;       // of a matrix with as many
constexpr int small_side = 2048; // of those that are multiplied
constexpr unsigned sum_threads = 256;

__device__ std::size_t thread_index()
{
    return blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
}

__device__ std::size_t grid_threads()
{
    return gridDim.x * static_cast<std::size_t>(blockDim.x);
}

// --- one element a thread -----------------------------------------------------------------------

__global__ void fill(float* c, std::size_t n)
{
    const std::size_t i = thread_index();
    if (i < n)
        c[i] = 1;
}

__global__ void fill4(float4* c, std::size_t n)
{
    const std::size_t i = thread_index();
    if (i < n)
        c[i] = make_float4(1, 2, 3, 4);
}

template<class T>
__global__ void gather(const T* a, const int* index, T* c, std::size_t n)
{
    const std::size_t i = thread_index();
    if (i < n)
        c[i] = a[index[i]];
}

__global__ void scatter(const float* a, const int* index, float* c, std::size_t n)
{
    const std::size_t i = thread_index();
    if (i < n)
        c[index[i]] = a[i];
}

__global__ void every(const float* a, float* c, std::size_t n, std::size_t stride)
{
    const std::size_t i = thread_index();
    if (i * stride < n)
        c[i] = a[i * stride];
}

__global__ void diverge(const float* a, float* c, std::size_t n)
{
    const std::size_t i = thread_index();
    if (i < n) {
        if (threadIdx.x % 2 != 0)
            c[i] = a[i] * 2;
        else
            c[i] = a[i] + 1;
    }
}

__global__ void copy(const double* a, double* c, std::size_t n)
{
    const std::size_t i = thread_index();
    if (i < n)
        c[i] = a[i];
}

__global__ void add3(const float* a, const float* b, const float* d, float* c, std::size_t n)
{
    const std::size_t i = thread_index();
    if (i < n)
        c[i] = a[i] + b[i] + d[i];
}

__global__ void reverse(const float* a, float* c, std::size_t n)
{
    const std::size_t i = thread_index();
    if (i < n)
        c[n - 1 - i] = a[i];
}

__global__ void saxpy(float factor, const float* x, float* y, std::size_t n)
{
    for (std::size_t i = thread_index(); i < n; i += grid_threads())
        y[i] = factor * x[i] + y[i];
}

// --- sums and histograms ------------------------------------------------------------------------

__device__ void sum_of_block(float own, float* c)
{
    __shared__ float sums[sum_threads];
    sums[threadIdx.x] = own;
    __syncthreads();
    for (unsigned k = sum_threads / 2; k > 0; k /= 2) {
        if (threadIdx.x < k)
            sums[threadIdx.x] += sums[threadIdx.x + k];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        c[blockIdx.x] = sums[0];
}

__global__ void sum_grid(const float* a, float* c, std::size_t n)
{
    float own = 0;
    for (std::size_t i = thread_index(); i < n; i += grid_threads())
        own += a[i];
    sum_of_block(own, c);
}

__global__ void sum_block(const float* a, float* c, std::size_t n)
{
    const std::size_t i = thread_index();
    sum_of_block(i < n ? a[i] : 0, c);
}

__global__ void histogram(const unsigned char* a, unsigned* bins, std::size_t n, unsigned count)
{
    const std::size_t i = thread_index();
    if (i < n)
        atomicAdd(bins + a[i] % count, 1U);
}

__global__ void histogram_shared(const unsigned char* a, unsigned* bins, std::size_t n)
{
    __shared__ unsigned own[256];
    own[threadIdx.x] = 0;
    __syncthreads();
    for (std::size_t i = thread_index(); i < n; i += grid_threads())
        atomicAdd(own + a[i], 1U);
    __syncthreads();
    atomicAdd(bins + threadIdx.x, own[threadIdx.x]);
}

// --- matrices -----------------------------------------------------------------------------------

__global__ void stencil(const float* a, float* c, int w, int h)
{
    const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
    if (x > 0 && x < w - 1 && y > 0 && y < h - 1) {
        const std::size_t i = static_cast<std::size_t>(y) * w + x;
        c[i] = a[i - 1] + a[i + 1] + a[i - w] + a[i + w] - 4 * a[i];
    }
}

template<int T>
__global__ void multiply_tiles(const float* a, const float* b, float* c, int n)
{
    __shared__ float tile_a[T][T];
    __shared__ float tile_b[T][T];
    const int x = static_cast<int>(blockIdx.x * T + threadIdx.x);
    const int y = static_cast<int>(blockIdx.y * T + threadIdx.y);
    float sum = 0;
    for (int k = 0; k < n; k += T) {
        tile_a[threadIdx.y][threadIdx.x] = a[static_cast<std::size_t>(y) * n + k + threadIdx.x];
        tile_b[threadIdx.y][threadIdx.x] = b[static_cast<std::size_t>(k + threadIdx.y) * n + x];
        __syncthreads();
        for (int j = 0; j < T; ++j)
            sum += tile_a[threadIdx.y][j] * tile_b[j][threadIdx.x];
        __syncthreads();
    }
    c[static_cast<std::size_t>(y) * n + x] = sum;
}

__global__ void multiply(const float* a, const float* b, float* c, int n)
{
    const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
    float sum = 0;
    for (int k = 0; k < n; ++k)
        sum += a[static_cast<std::size_t>(y) * n + k] * b[static_cast<std::size_t>(k) * n + x];
    c[static_cast<std::size_t>(y) * n + x] = sum;
}

__global__ void sum_rows(const float* a, float* c, int w, int h)
{
    const int y = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    float sum = 0;
    if (y < h)
        for (int x = 0; x < w; ++x)
            sum += a[static_cast<std::size_t>(y) * w + x];
    if (y < h)
        c[y] = sum;
}

__global__ void sum_columns(const float* a, float* c, int w, int h)
{
    const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    float sum = 0;
    if (x < w)
        for (int y = 0; y < h; ++y)
            sum += a[static_cast<std::size_t>(y) * w + x];
    if (x < w)
        c[x] = sum;
}

// --- what is launched ---------------------------------------------------------------------------

struct Case
{
    const char* name;
    common::Launch launch;
};

/// Device memory of `size` numbers below `end` that follow no pattern: steps of the golden ratio,
/// their bits mixed.
template<class T>
common::Buffer<T> random_numbers(std::size_t size, unsigned end)
{
    common::Buffer<T> memory(size);
    std::vector<T> values(size);
    std::uint64_t state = 0;
    for (T& value : values) {
        state += 0x9E3779B97F4A7C15U;
        const std::uint64_t mixed = (state ^ state >> 31) * 0xBF58476D1CE4E5B9U;
        value = static_cast<T>((mixed >> 32) % end);
    }
    CHECK_CUDA(cudaMemcpy(memory.data(), values.data(), memory.bytes(), cudaMemcpyHostToDevice));
    return memory;
}

/// The arrays that the kernels work on. What they hold matters only of indices and bytes.
struct Arrays
{
    common::Buffer<float> a{4 * elements};
    common::Buffer<float> b{elements};
    common::Buffer<float> c{4 * elements};
    common::Buffer<float> d{elements};
    common::Buffer<unsigned> bins{256};
    common::Buffer<int> far = random_numbers<int>(elements, elements);
    common::Buffer<int> near = random_numbers<int>(elements, elements / 4);
    common::Buffer<unsigned char> bytes = random_numbers<unsigned char>(elements, 256);
};

std::vector<Case> cases(const Arrays& arrays)
{
    float* const a = arrays.a.data();
    float* const b = arrays.b.data();
    float* const c = arrays.c.data();
    float* const d = arrays.d.data();
    auto* const a4 = reinterpret_cast<float4*>(a);
    auto* const c4 = reinterpret_cast<float4*>(c);
    auto* const a8 = reinterpret_cast<double*>(a);
    auto* const c8 = reinterpret_cast<double*>(c);
    int* const far = arrays.far.data();
    int* const near = arrays.near.data();
    unsigned char* const bytes = arrays.bytes.data();
    unsigned* const bins = arrays.bins.data();
    constexpr unsigned blocks = elements / 256;
    constexpr unsigned full = 132 * 8; // blocks: all that an H200 holds at a time
    constexpr int long_side = static_cast<int>(elements / 64);
    const auto blocks_of = [](unsigned threads) {
        return static_cast<unsigned>((elements + threads - 1) / threads);
    };
    // clang-format off
    return {
        {"fill", [=](auto s) { fill<<<blocks, 256, 0, s>>>(c, elements); }},
        {"fill4", [=](auto s) { fill4<<<blocks, 256, 0, s>>>(c4, elements); }},
        {"fill_1024", [=](auto s) { fill<<<blocks / 4, 1024, 0, s>>>(c, elements); }},
        {"gather_256MiB", [=](auto s) { gather<<<blocks, 256, 0, s>>>(a, far, c, elements); }},
        {"gather_64MiB", [=](auto s) { gather<<<blocks, 256, 0, s>>>(a, near, c, elements); }},
        {"gather4", [=](auto s) { gather<<<blocks / 4, 256, 0, s>>>(a4, near, c4, elements / 4); }},
        {"scatter", [=](auto s) { scatter<<<blocks, 256, 0, s>>>(a, far, c, elements); }},
        {"sum_grid", [=](auto s) { sum_grid<<<full, sum_threads, 0, s>>>(a, c, elements); }},
        {"sum_grid_132", [=](auto s) { sum_grid<<<132, sum_threads, 0, s>>>(a, c, elements); }},
        {"sum_block", [=](auto s) { sum_block<<<blocks, sum_threads, 0, s>>>(a, c, elements); }},
        {"histogram_64", [=](auto s) { histogram<<<blocks, 256, 0, s>>>(bytes, bins, elements, 64); }},
        {"histogram_256", [=](auto s) { histogram<<<blocks, 256, 0, s>>>(bytes, bins, elements, 256); }},
        {"histogram_shared", [=](auto s) { histogram_shared<<<full, 256, 0, s>>>(bytes, bins, elements); }},
        {"stencil", [=](auto s) {
             stencil<<<dim3(side / 32, side / 8), dim3(32, 8), 0, s>>>(a, c, side, side); }},
        {"stencil_64x4", [=](auto s) {
             stencil<<<dim3(side / 64, side / 4), dim3(64, 4), 0, s>>>(a, c, side, side); }},
        {"multiply_16", [=](auto s) {
             multiply_tiles<16><<<dim3(small_side / 16, small_side / 16), dim3(16, 16), 0, s>>>(
                 a, b, c, small_side); }},
        {"multiply_32", [=](auto s) {
             multiply_tiles<32><<<dim3(small_side / 32, small_side / 32), dim3(32, 32), 0, s>>>(
                 a, b, c, small_side); }},
        {"multiply", [=](auto s) {
             multiply<<<dim3(small_side / 32, small_side / 8), dim3(32, 8), 0, s>>>(
                 a, b, c, small_side); }},
        {"sum_rows", [=](auto s) { sum_rows<<<side / 64, 64, 0, s>>>(a, c, side, side); }},
        {"sum_rows_64", [=](auto s) {
             sum_rows<<<long_side / 256, 256, 0, s>>>(a, c, 64, long_side); }},
        {"sum_columns", [=](auto s) { sum_columns<<<side / 64, 64, 0, s>>>(a, c, side, side); }},
        {"sum_columns_64", [=](auto s) {
             sum_columns<<<long_side / 256, 256, 0, s>>>(a, c, long_side, 64); }},
        {"saxpy", [=](auto s) { saxpy<<<full, 256, 0, s>>>(2, b, d, elements); }},
        {"saxpy_528", [=](auto s) { saxpy<<<528, 128, 0, s>>>(2, b, d, elements); }},
        {"every2", [=](auto s) { every<<<blocks, 256, 0, s>>>(a, c, 2 * elements, 2); }},
        {"every8", [=](auto s) { every<<<blocks / 2, 256, 0, s>>>(a, c, 4 * elements, 8); }},
        {"every32", [=](auto s) { every<<<blocks / 8, 256, 0, s>>>(a, c, 4 * elements, 32); }},
        {"diverge", [=](auto s) { diverge<<<blocks, 256, 0, s>>>(a, c, elements); }},
        {"copy", [=](auto s) { copy<<<blocks, 256, 0, s>>>(a8, c8, elements); }},
        {"copy_96", [=](auto s) { copy<<<blocks_of(96), 96, 0, s>>>(a8, c8, elements); }},
        {"copy_320", [=](auto s) { copy<<<blocks_of(320), 320, 0, s>>>(a8, c8, elements); }},
        {"copy_768", [=](auto s) { copy<<<blocks_of(768), 768, 0, s>>>(a8, c8, elements); }},
        {"add3", [=](auto s) { add3<<<blocks, 256, 0, s>>>(a, b, d, c, elements); }},
        {"reverse", [=](auto s) { reverse<<<blocks, 256, 0, s>>>(a, c, elements); }},
    };
    // clang-format on
}

/// What a GPU takes, cold, as JSON.
void print_timed(const Case& one)
{
    const common::Timing time =
        common::measure_launch(one.launch, nullptr, common::Cache::cold, {});
    std::printf(R"({"kernel": "%s", "ms": %.6f})", one.name, time.median);
}

/// What the model says of it, as JSON.
void print_modelled(const Case& one)
{
    const common::Card& card = *common::find_card("h200");
    common::begin_counting();
    one.launch(nullptr);
    CHECK_CUDA(cudaDeviceSynchronize());
    const common::LaunchRecord launch = common::end_counting().at(0);
    const common::Traffic& traffic = launch.traffic.value();
    const common::Demand demand = common::demand(launch, traffic, card, common::assumed_registers,
                                                 launch.static_shared_bytes);
    const common::ModelledTime time = common::predict(demand, card);
    std::printf(R"({"kernel": "%s", "ms": %.4f, "limited_by": "%s", "bounds": {)", one.name,
                time.ms, std::string(time.limited_by).c_str());
    for (const common::Bound& bound : time.bounds)
        std::printf(R"(%s"%s": %.4f)", &bound == time.bounds.data() ? "" : ", ",
                    std::string(bound.name).c_str(), bound.ms);
    std::printf(R"(}, "l1_hit_sectors": %.0f, "l2_read_sectors": %.0f, "l2_write_sectors": %.0f, )"
                R"("dram_bytes_read": %.0f, "dram_bytes_written": %.0f, )"
                R"("phases": [%.2f, %.2f, %.2f], "barriers": %.2f, "dram_run_bytes": %.1f})",
                traffic.l1_hit_sectors, traffic.l2_read_sectors, traffic.l2_write_sectors,
                traffic.dram_bytes_read, traffic.dram_bytes_written, traffic.dram_phases,
                traffic.l2_phases, traffic.l1_phases, traffic.barriers, traffic.dram_run_bytes);
}

} // namespace

int main()
try {
    const bool gpu = common::backend() == common::Backend::gpu;
    common::sample_launches(); // the rest of a grid is like its middle
    const Arrays arrays;
    const char* separator = "{\n\"rows\": [\n";
    for (const Case& one : cases(arrays)) {
        std::printf("%s", std::exchange(separator, ",\n"));
        gpu ? print_timed(one) : print_modelled(one);
    }
    std::printf("\n]}\n");
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
