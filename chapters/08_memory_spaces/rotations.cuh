// The second lesson of chapter 08: arrays that a thread has for itself, in local memory or in
// registers, and what a cap on the registers costs.
#pragma once

#include "common/chapter.hpp"

constexpr unsigned threads = 256;
constexpr unsigned per_thread = 32; // elements

//! [local]
// A thread takes `per_thread` elements and gives them back rotated by its number. The index depends
// on the thread, and registers have no index: the array is in local memory.
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
// The same in five steps, by 1, 2, 4, 8 and 16 places or not: unrolled, every index is a number.
__device__ __forceinline__ void rotate(const float* a, float* c, std::size_t n)
{
    const std::size_t first = std::size_t{blockIdx.x} * blockDim.x * per_thread + threadIdx.x;
    float x[6][per_thread]; // behind each step; compilers reuse registers
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
// Four blocks of 256 threads shall fit: of 65536 registers, each of 1024 threads can have 64.
__global__ void __launch_bounds__(threads, 4) rotate_capped(const float* a, float* c, std::size_t n)
{
    rotate(a, c, n);
}

#if CUDART_VERSION >= 12040
// The cap as a number, and half of it: as many threads as a multiprocessor can hold.
__global__ void __maxnreg__(32) rotate_capped_32(const float* a, float* c, std::size_t n)
{
    rotate(a, c, n);
}
#endif
//! [capped]

#if CUDART_VERSION >= 12040
constexpr auto capped_32 = rotate_capped_32;
#else
constexpr void (*capped_32)(const float*, float*, std::size_t) = nullptr;
#endif
