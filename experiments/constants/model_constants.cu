// What the time model still takes from one kernel, or assumes: a row for each, to be measured on a
// GPU:
//     ./run experiments/constants/model_constants.cu -- 26
// prints milliseconds, the median of eleven launches after a flush of the L2. On the CPU device
// each is launched once, and the table has what the model says.
// SLOW
// RUN => 0 few_reads[^$]*atomic_float[^$]*loop_int[^$]*planes[^$]*rows_of_threads[^$]*no_maximum[^$]*shuffle[^$]*rate_both[^$]*ok
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

/// What a multiprocessor takes from L2 or DRAM: with 1, 2, 4 ... 132 blocks, 16 loads in flight a
/// thread.
__global__ void few_reads(const float4* a, float* c, size_t n)
{
    float sum = 0;
    for (size_t i = blockIdx.x * size_t(8192) + threadIdx.x; i < n; i += gridDim.x * size_t(8192)) {
        float4 v[16];
#pragma unroll
        for (int k = 0; k < 16; ++k)
            v[k] = __ldcg(a + i + k * 512);
#pragma unroll
        for (int k = 0; k < 16; ++k)
            sum += v[k].x + v[k].y + v[k].z + v[k].w;
    }
    c[blockIdx.x * size_t(512) + threadIdx.x] = sum;
}

/// One counter for all: chapter 28 has 0.73 ns an atomic on integers, and 1.76 on floats.
__global__ void atomic_float(float* counter)
{
    atomicAdd(counter, 1.0F);
}
__global__ void atomic_unsigned(unsigned* counter)
{
    atomicAdd(counter, 1U);
}

/// How many rounds of a loop go out together: by the type of its index and step, and of how many
/// there are.
__global__ void loop_int(const float* a, float* c, int rounds, int step)
{
    float sum = 0;
    for (int i = 0, at = blockIdx.x * blockDim.x + threadIdx.x; i < rounds; ++i, at += step)
        sum += a[at];
    c[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
__global__ void loop_size(const float* a, float* c, size_t n, size_t step)
{
    float sum = 0;
    for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n; i += step)
        sum += a[i];
    c[blockIdx.x * size_t(blockDim.x) + threadIdx.x] = sum;
}

/// What L2 keeps: planes that the blocks of the next ones load again, larger and larger.
__global__ void planes(const float* a, float* c, size_t plane)
{
    const size_t i = blockIdx.x * size_t(256) + threadIdx.x;
    const size_t at = blockIdx.y * plane + i;
    c[at] = a[at] + (blockIdx.y > 0 ? a[at - plane] : 0);
}

/// What L2 answers: as many sectors, of lines of which 1, 2 or 4 sectors are wanted, all of them in
/// L2.
__global__ void lines_of_l2(const float* a, float* c, unsigned lines, unsigned sectors)
{
    constexpr unsigned rounds = 64, warp = 32, floats_of_a_sector = 8, floats_of_a_line = 32;
    const unsigned lane = threadIdx.x % warp;
    const unsigned first = (blockIdx.x * blockDim.x + threadIdx.x) / warp * rounds;
    float sum = 0;
#pragma unroll 16
    for (unsigned i = 0; i < rounds; ++i) {
        const unsigned line = ((first + i) * (warp / sectors) + lane / sectors) % lines;
        sum += __ldcg(a + line * floats_of_a_line + lane % sectors * floats_of_a_sector);
    }
    c[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/// What L2 still has of a row that a warp reads three times, as rows get longer.
__global__ void rows_again(const float* a, float* c, unsigned floats)
{
    constexpr unsigned warp = 32;
    const size_t row = (blockIdx.x * size_t(blockDim.x) + threadIdx.x) / warp;
    float known = 0;
    for (int pass = 0; pass < 3; ++pass) {
        float sum = 0;
        for (unsigned i = threadIdx.x % warp; i < floats; i += warp)
            sum += __ldcg(a + row * floats + i) - known;
        for (unsigned offset = warp / 2; offset > 0; offset /= 2)
            sum += __shfl_xor_sync(~0U, sum, offset);
        known = sum;
    }
    c[row * warp + threadIdx.x % warp] = known;
}

/// What lines cost that fill slowly: a thread a row, of which it stores 4 bytes at a time.
__global__ void rows_of_threads(float* c, unsigned floats)
{
    float* row = c + (blockIdx.x * size_t(blockDim.x) + threadIdx.x) * floats;
#pragma unroll 1
    for (unsigned i = 0; i < floats; ++i)
        row[i] = float(i);
}

/// What L2 does with atomics to anywhere in a table: by what they do, and how many lanes share a
/// place.
enum class Atomic
{
    add_unsigned,
    add_float,
    add_double,
    compare,
    no_maximum
};
template<Atomic what>
__global__ void atomics_at(void* table, unsigned places, unsigned shared_by)
{
    const unsigned i = (blockIdx.x * blockDim.x + threadIdx.x) / shared_by;
    unsigned at = i * 2654435761U; // anywhere
    at = (at ^ (at >> 15)) % places;
    if constexpr (what == Atomic::add_unsigned)
        atomicAdd(static_cast<unsigned*>(table) + at, 1U);
    else if constexpr (what == Atomic::add_float)
        atomicAdd(static_cast<float*>(table) + at, 1.0F);
    else if constexpr (what == Atomic::add_double)
        atomicAdd(static_cast<double*>(table) + at / 2, 1.0);
    else if constexpr (what == Atomic::compare)
        atomicCAS(static_cast<unsigned*>(table) + at, ~0U, i); // never there
    else
        atomicMax(static_cast<unsigned*>(table) + at, 0U);
}

/// How long a warp waits for what it does next: results of one instruction are asked for by the
/// next.
enum class Wait
{
    multiply_add,
    logic,
    shared,
    special,
    shuffle,
    conversion,
    population,
    multiply_add_of_doubles
};
template<Wait what>
__global__ void waits_for(float* c, unsigned rounds)
{
    __shared__ unsigned next[32];
    next[threadIdx.x] = threadIdx.x;
    __syncthreads();
    float x = c[threadIdx.x];
    double y = x;
    unsigned i = threadIdx.x;
#pragma unroll 16
    for (unsigned round = 0; round < rounds; ++round) {
        if constexpr (what == Wait::multiply_add)
            x = fmaf(x, 0.5F, 1.0F);
        else if constexpr (what == Wait::logic)
            i = (i ^ round) & 31;
        else if constexpr (what == Wait::shared)
            i = next[i];
        else if constexpr (what == Wait::special)
            x = __sinf(x);
        else if constexpr (what == Wait::shuffle)
            i = __shfl_xor_sync(~0U, i, 1);
        else if constexpr (what == Wait::conversion)
            x = static_cast<float>(static_cast<int>(x) + 1);
        else if constexpr (what == Wait::population)
            i = static_cast<unsigned>(__popc(i)) + 1;
        else
            y = fma(y, 0.5, 1.0);
    }
    c[threadIdx.x] = x + static_cast<float>(i) + static_cast<float>(y);
}

/// How many instructions a multiprocessor executes, of one kind or of two by turns.
enum class Rate
{
    multiply_add,
    logic,
    both
};
template<Rate what>
__global__ void rate_of(float* c, unsigned rounds)
{
    constexpr int chains = 8;
    float x[chains];
    unsigned y[chains];
    for (int k = 0; k < chains; ++k) {
        x[k] = c[threadIdx.x] + static_cast<float>(k);
        y[k] = threadIdx.x + static_cast<unsigned>(k);
    }
#pragma unroll 4
    for (unsigned round = 0; round < rounds; ++round)
#pragma unroll
        for (int k = 0; k < chains; ++k) {
            if constexpr (what != Rate::logic)
                x[k] = fmaf(x[k], 0.5F, 1.0F);
            if constexpr (what != Rate::multiply_add)
                y[k] = (y[k] ^ round) & (y[k] >> 1);
        }
    float sum = 0;
    for (int k = 0; k < chains; ++k)
        sum += x[k] + static_cast<float>(y[k]);
    c[blockIdx.x * size_t(blockDim.x) + threadIdx.x] = sum;
}

__global__ void flush(const float4* a, float* c, size_t n)
{
    float sum = 0;
    for (size_t i = blockIdx.x * size_t(256) + threadIdx.x; i < n; i += gridDim.x * size_t(256))
        sum += a[i].x;
    if (sum == 1234567)
        *c = sum;
}

float* big = nullptr; ///< what the flush reads; null on the CPU device
float* sink;

template<class Launch>
void row(const char* name, size_t value, Launch launch)
{
    if (big == nullptr) {
        launch();
        std::printf("%s %zu\n", name, value);
        return;
    }
    cudaEvent_t begin;
    cudaEvent_t end;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    std::vector<float> times(11);
    for (float& time : times) {
        flush<<<1056, 256>>>(reinterpret_cast<const float4*>(big), sink, size_t{1} << 24);
        cudaEventRecord(begin);
        launch();
        cudaEventRecord(end);
        cudaEventSynchronize(end);
        cudaEventElapsedTime(&time, begin, end);
    }
    std::sort(times.begin(), times.end());
    std::printf("%-16s %12zu %10.4f ms\n", name, value, times[5]);
}

int main(int argc, char** argv)
{
    const size_t n = size_t{1} << (argc > 1 ? std::atoi(argv[1]) : 20);
    cudaDeviceProp card;
    cudaGetDeviceProperties(&card, 0);
    float* a;
    float* c;
    cudaMalloc(&a, n * sizeof *a);
    cudaMalloc(&c, n * sizeof *c);
    cudaMalloc(&sink, sizeof *sink);
    cudaMemset(a, 0, n * sizeof *a);
    if (std::strstr(card.name, "CPU device") == nullptr) {
        cudaMalloc(&big, size_t{1} << 28);
        cudaMemset(big, 0, size_t{1} << 28);
    }
    for (const unsigned blocks : {1U, 2U, 4U, 8U, 16U, 32U, 66U, 132U})
        row("few_reads", blocks,
            [=] { few_reads<<<blocks, 512>>>(reinterpret_cast<const float4*>(a), c, n / 4); });
    row("atomic_float", n, [=] { atomic_float<<<unsigned(n / 256), 256>>>(c); });
    row("atomic_unsigned", n,
        [=] { atomic_unsigned<<<unsigned(n / 256), 256>>>(reinterpret_cast<unsigned*>(c)); });
    for (const int rounds : {4, 8, 16, 24, 32, 64}) {
        const auto threads = unsigned(n / 64);
        row("loop_int", size_t(rounds),
            [=] { loop_int<<<threads / 256, 256>>>(a, c, rounds, int(threads)); });
        row("loop_size", size_t(rounds),
            [=] { loop_size<<<threads / 256, 256>>>(a, c, size_t(rounds) * threads, threads); });
    }
    for (size_t plane = 4096; plane <= n / 2; plane *= 4)
        row("planes", plane, [=] {
            planes<<<dim3(unsigned(plane / 256), unsigned(n / plane)), 256>>>(a, c, plane);
        });
    const auto lines = unsigned(std::min(n, size_t{1} << 22) / 32); // 16 MiB
    for (const unsigned sectors : {1U, 2U, 4U})
        row("lines_of_l2", sectors,
            [=] { lines_of_l2<<<unsigned(n / 64 / 256), 256>>>(a, c, lines, sectors); });
    for (const unsigned floats : {256U, 512U, 1024U, 2048U})
        row("rows_again", floats,
            [=] { rows_again<<<unsigned(n / floats / 8), 256>>>(a, c, floats); });
    for (const unsigned floats : {8U, 32U, 128U})
        row("rows_of_threads", floats,
            [=] { rows_of_threads<<<unsigned(n / floats / 256), 256>>>(c, floats); });
    const auto threads = unsigned(n / 4);
    const unsigned places = std::min(threads, 1U << 20);
    for (const unsigned lanes : {1U, 8U, 32U}) {
        row("add_unsigned", lanes,
            [=] { atomics_at<Atomic::add_unsigned><<<threads / 256, 256>>>(c, places, lanes); });
        row("add_float", lanes,
            [=] { atomics_at<Atomic::add_float><<<threads / 256, 256>>>(c, places, lanes); });
        row("add_double", lanes,
            [=] { atomics_at<Atomic::add_double><<<threads / 256, 256>>>(c, places, lanes); });
        row("compare", lanes,
            [=] { atomics_at<Atomic::compare><<<threads / 256, 256>>>(c, places, lanes); });
        row("no_maximum", lanes,
            [=] { atomics_at<Atomic::no_maximum><<<threads / 256, 256>>>(c, places, lanes); });
    }
    constexpr unsigned rounds = 1 << 16;
    row("multiply_add", rounds, [=] { waits_for<Wait::multiply_add><<<1, 32>>>(c, rounds); });
    row("logic", rounds, [=] { waits_for<Wait::logic><<<1, 32>>>(c, rounds); });
    row("shared", rounds, [=] { waits_for<Wait::shared><<<1, 32>>>(c, rounds); });
    row("special", rounds, [=] { waits_for<Wait::special><<<1, 32>>>(c, rounds); });
    row("shuffle", rounds, [=] { waits_for<Wait::shuffle><<<1, 32>>>(c, rounds); });
    row("conversion", rounds, [=] { waits_for<Wait::conversion><<<1, 32>>>(c, rounds); });
    row("population", rounds, [=] { waits_for<Wait::population><<<1, 32>>>(c, rounds); });
    row("of_doubles", rounds,
        [=] { waits_for<Wait::multiply_add_of_doubles><<<1, 32>>>(c, rounds); });
    const auto grid = unsigned(n / 1024);
    row("rate_multiply_add", 512, [=] { rate_of<Rate::multiply_add><<<grid, 256>>>(c, 512); });
    row("rate_logic", 512, [=] { rate_of<Rate::logic><<<grid, 256>>>(c, 512); });
    row("rate_both", 512, [=] { rate_of<Rate::both><<<grid, 256>>>(c, 512); });
    const bool ok = cudaDeviceSynchronize() == cudaSuccess;
    std::puts(ok ? "ok" : "failed");
    return ok ? 0 : 1;
}
