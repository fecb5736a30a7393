// What a file of kernels as people write them is made of beside these: arrays and what is in them,
// launches that are checked and timed, and the choice of kernels on the command line. A file
// defines `kernels_name`, LOG2N and then its kernels, and calls run_kernels().
//
// NAME [LOG2N] [time] [KERNEL...], with arrays of about 2^LOG2N numbers, runs and checks each
// kernel or those that are named: so does ./run FILE, which counts them. On a GPU, NAME time also
// times them: 15 launches, each after a flush of the L2. A row is the name, the median, the second
// and the second last in ms, and whether the result was right.
#pragma once

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

using u = unsigned;
using byte = unsigned char;

constexpr u full = 0xffffffff;

// --- data, launches and checks -------------------------------------------------------------------

#ifndef LOG2N
#define LOG2N 24
#endif

extern const char* const kernels_name;
int log2n = LOG2N;
size_t n; // 2 to the log2n: how many numbers the usual array has

bool timed = false;
float* scratch; // to flush the L2 with

/// The largest power of two whose square is at most n / 2^less.
int side(int less)
{
    return 1 << (log2n - less) / 2;
}

u blocks(size_t threads, size_t each)
{
    return static_cast<u>((threads + each - 1) / each);
}

/// Mixes the bits of a number; no two numbers become the same.
__host__ __device__ u mix(u x)
{
    x = (x ^ x >> 16) * 0x7feb352d;
    x = (x ^ x >> 15) * 0x846ca68b;
    return x ^ x >> 16;
}

/// Makes the elements of an array: floats that follow no pattern, another sequence for each seed.
auto noise(u seed, float from = 0, float to = 1)
{
    return [=](size_t i) {
        return from + (to - from) *
                          static_cast<float>(mix(static_cast<u>(i) + seed * 0x9e3779b9) >> 8) *
                          (1.0F / 16777216);
    };
}

/// The same of whole numbers below `end`.
auto below(u seed, size_t end)
{
    return [=](size_t i) {
        return static_cast<u>(mix(static_cast<u>(i) + seed * 0x9e3779b9) * uint64_t{end} >> 32);
    };
}

/// An array of the device, and what was in it at first.
template<class T>
struct Array
{
    std::vector<T> first;
    T* memory = nullptr;
    size_t size;

    /// Of zeros, of which the host has no copy.
    explicit Array(size_t count) : size(count)
    {
        allocate();
        cudaMemset(memory, 0, size * sizeof(T));
    }

    explicit Array(std::vector<T> values) : first(std::move(values)), size(first.size())
    {
        allocate();
        reset();
    }

    template<class Make>
    Array(size_t count, Make make) : first(count), size(count)
    {
        for (size_t i = 0; i < count; ++i)
            first[i] = static_cast<T>(make(i));
        allocate();
        reset();
    }

    Array(const Array&) = delete;
    Array& operator=(const Array&) = delete;
    ~Array() { cudaFree(memory); }

    void reset() { cudaMemcpy(memory, first.data(), size * sizeof(T), cudaMemcpyHostToDevice); }
    void clear() { cudaMemset(memory, 0, size * sizeof(T)); }

    std::vector<T> now() const
    {
        std::vector<T> values(size);
        cudaMemcpy(values.data(), memory, size * sizeof(T), cudaMemcpyDeviceToHost);
        return values;
    }

  private:
    void allocate()
    {
        if (cudaMalloc(&memory, size * sizeof(T)) != cudaSuccess) {
            std::fprintf(stderr, "%s: no memory for %zu bytes\n", kernels_name, size * sizeof(T));
            std::exit(1);
        }
    }
};

bool near(double a, double b, double tolerance)
{
    return std::fabs(a - b) <= tolerance * (1 + std::fabs(b));
}

/// Whether something holds of all indices below `count`, or of the first, the last and many others.
template<class Holds>
bool sampled(size_t count, Holds holds)
{
    constexpr size_t edge = 1024;
    constexpr u others = 16384;
    if (count == 0)
        return false;
    for (size_t i = 0; i < std::min(count, edge); ++i)
        if (!holds(i) || !holds(count - 1 - i))
            return false;
    const auto any = below(99, count);
    for (u k = 0; k < others; ++k)
        if (!holds(any(k)))
            return false;
    return true;
}

/// Whether the elements of an array are what `expected` says, as far as samples tell.
template<class T, class Expected>
bool matches(const Array<T>& array, Expected expected, double tolerance = 1e-4)
{
    const std::vector<T> values = array.now();
    return sampled(array.size, [&](size_t i) {
        return near(static_cast<double>(values[i]), static_cast<double>(expected(i)), tolerance);
    });
}

/// The same where all that is expected is there.
template<class T>
bool matches(const Array<T>& array, const std::vector<double>& expected)
{
    const std::vector<T> values = array.now();
    return std::equal(values.begin(), values.end(), expected.begin(), expected.end(),
                      [](T a, double b) { return near(a, b, 1e-4); });
}

__global__ void flush(const float4* a, float* c, size_t count)
{
    float sum = 0;
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        sum += a[i].x;
    if (sum == 1234567)
        *c = sum;
}

/// Launches once and checks; where times are wanted, launches and times 17 times more, of which the
/// first two do not count. `prepare` restores what the launch before has changed. Prints the row;
/// says whether the check held.
template<class Launch, class Check, class Prepare>
bool run(const char* name, Launch launch, Check check, Prepare prepare)
{
    prepare();
    launch();
    const bool right = cudaDeviceSynchronize() == cudaSuccess && check();
    std::printf("%s,", name);
    if (timed) {
        cudaEvent_t begin;
        cudaEvent_t end;
        cudaEventCreate(&begin);
        cudaEventCreate(&end);
        std::vector<float> times(17);
        for (float& time : times) {
            prepare();
            flush<<<1056, 256>>>(reinterpret_cast<float4*>(scratch), scratch, size_t{1} << 24);
            cudaEventRecord(begin);
            launch();
            cudaEventRecord(end);
            cudaEventSynchronize(end);
            cudaEventElapsedTime(&time, begin, end);
        }
        cudaEventDestroy(begin);
        cudaEventDestroy(end);
        std::sort(times.begin() + 2, times.end()); // the first two warm up
        std::printf("%.6f,%.6f,%.6f,", times[9], times[3], times[15]);
    }
    std::printf("%s\n", right ? "yes" : "NO");
    std::fflush(stdout);
    return right;
}

template<class Launch, class Check>
bool run(const char* name, Launch launch, Check check)
{
    return run(name, launch, check, [] {});
}

// --- all of them ---------------------------------------------------------------------------------

struct Kernel
{
    const char* name;
    bool (*run)(const char* name);
};

template<std::size_t count>
int run_kernels(int argc, char** argv, const Kernel (&kernels)[count])
{
    std::vector<std::string> names;
    for (int i = 1; i < argc; ++i)
        if (std::isdigit(argv[i][0]))
            log2n = std::atoi(argv[i]);
        else if (std::string(argv[i]) == "time")
            timed = true;
        else
            names.emplace_back(argv[i]);
    if (log2n < 18 || log2n > 26) {
        std::fprintf(stderr, "%s: LOG2N is %d; from 18 to 26 fit the kernels\n", kernels_name,
                     log2n);
        return 2;
    }
    n = size_t{1} << log2n;
    if (timed && cudaMalloc(&scratch, size_t{1} << 28) != cudaSuccess)
        return 1;
    int wrong = 0;
    for (const Kernel& kernel : kernels)
        if (names.empty() || std::find(names.begin(), names.end(), kernel.name) != names.end())
            wrong += !kernel.run(kernel.name);
    if (wrong > 0)
        std::printf("%d of the kernels computed something wrong\n", wrong);
    return wrong > 0;
}
