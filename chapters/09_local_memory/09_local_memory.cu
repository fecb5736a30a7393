// 09_local_memory: When does a per-thread array leave registers?
//
// A thread loads 32 elements and stores them rotated by its number. The compiler keeps them in
// registers or in local memory: an index that is not a compile-time constant, or a cap on the
// registers, forces local memory.

#include "common/chapter.hpp"

constexpr unsigned threads = 256;
constexpr unsigned per_thread = 32; // elements

//! [local]
// The index depends on the thread, and registers cannot be indexed: the array is in local memory.
__global__ void rotate_local(const float* a, float* c, std::size_t n)
{
    const std::size_t first = std::size_t{blockIdx.x} * blockDim.x * per_thread + threadIdx.x;
    float x[per_thread];
    for (unsigned k = 0; k < per_thread; ++k) {
        const std::size_t i = first + std::size_t{k} * blockDim.x;
        x[k] = i < n ? a[i] : 0.0f;
    }
    for (unsigned k = 0; k < per_thread; ++k) {
        const std::size_t i = first + std::size_t{k} * blockDim.x;
        if (i < n) {
            c[i] = x[(k + threadIdx.x) % per_thread];
        }
    }
}
//! [local]

//! [registers]
// Rotates in five steps, by 1, 2, 4, 8 and 16 or not at all; unrolled, all indices are constants.
__device__ __forceinline__ void rotate(const float* a, float* c, std::size_t n)
{
    const std::size_t first = std::size_t{blockIdx.x} * blockDim.x * per_thread + threadIdx.x;
    float x[6][per_thread]; // x[s]: the array after s steps; the compiler reuses the registers
#pragma unroll
    for (unsigned k = 0; k < per_thread; ++k) {
        const std::size_t i = first + std::size_t{k} * blockDim.x;
        x[0][k] = i < n ? a[i] : 0.0f;
    }
#pragma unroll
    for (unsigned step = 0; step < 5; ++step) {
#pragma unroll
        for (unsigned k = 0; k < per_thread; ++k) {
            const bool moves = (threadIdx.x >> step & 1) != 0;
            x[step + 1][k] = moves ? x[step][(k + (1u << step)) % per_thread] : x[step][k];
        }
    }
#pragma unroll
    for (unsigned k = 0; k < per_thread; ++k) {
        const std::size_t i = first + std::size_t{k} * blockDim.x;
        if (i < n) {
            c[i] = x[5][k];
        }
    }
}

__global__ void rotate_registers(const float* a, float* c, std::size_t n)
{
    rotate(a, c, n);
}
//! [registers]

//! [capped]
// Requests four resident blocks of 256 threads: 64 registers for each of 1024 threads.
__global__ void __launch_bounds__(threads, 4) rotate_capped(const float* a, float* c, std::size_t n)
{
    rotate(a, c, n);
}

#if CUDART_VERSION >= 12040
// Caps the registers directly, at 32, so that an SM can hold 2048 threads.
__global__ void __maxnreg__(32) rotate_capped_32(const float* a, float* c, std::size_t n)
{
    rotate(a, c, n);
}
constexpr auto capped_32 = rotate_capped_32;
#else
constexpr void (*capped_32)(const float*, float*, std::size_t) = nullptr;
#endif
//! [capped]

//! [rotations]
void run_rotations(common::Chapter& chapter)
{
    const std::size_t n = chapter.n();
    common::Arrays<float> problem(chapter, {.task = "rotate"}, [n](auto& in, std::size_t i) {
        const std::size_t k = i / threads % per_thread;
        const std::size_t source = i + ((k + i % threads) % per_thread - k) * threads;
        return source < n ? in.a[source] : 0.0f;
    });
    const auto run = [&](const char* name, void (*kernel)(const float*, float*, std::size_t)) {
        const common::Variant row{
            .name = name,
            .threads = threads,
            .columns = common::resources(kernel, threads),
            .unavailable = kernel == nullptr ? "needs CUDA 12.4" : "",
            .model_excluded_reason =
                kernel == rotate_registers
                    ? ""
                    : "only nvcc knows how much of its array lies in local memory"};
        chapter.run(row, problem, [&](cudaStream_t stream) {
            kernel<<<common::blocks(n, std::size_t{threads} * per_thread), threads, 0, stream>>>(
                problem.a, problem.c, n);
        });
    };
    run("rotate_local", rotate_local);
    run("rotate_registers", rotate_registers);
    run("rotate_capped", rotate_capped);
    run("rotate_capped_32", capped_32);
}
//! [rotations]

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    run_rotations(chapter);
    return chapter.finish();
}
