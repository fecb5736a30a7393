// 07_shared_memory: When does it pay to stage data in shared memory?
//
// First a copy that takes the detour for nothing, then two tasks that need it: a stencil, which
// uses every element many times, and a re-ordering, which no order of threads can coalesce on both
// sides.

#include "common/chapter.hpp"

#include <cuda_pipeline.h>

//! [copy]
__global__ void copy_direct(const float* a, float* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i];
    }
}

constexpr unsigned threads = 256;

// No barrier: every thread reads back the slot that it wrote itself. (The compiler knows that too:
// it keeps the value in a register and never reads the tile.)
__global__ void copy_staged(const float* a, float* c, std::size_t n)
{
    __shared__ float tile[threads];
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        tile[threadIdx.x] = a[i];
        c[i] = tile[threadIdx.x];
    }
}
//! [copy]

//! [async]
// The load goes past the registers, straight to shared memory, one step ahead of the store.
__global__ void copy_async(const float* a, float* c, std::size_t n)
{
    __shared__ float tile[2][threads];
    const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
    std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    unsigned stage = 0;
    if (i < n) {
        __pipeline_memcpy_async(&tile[stage][threadIdx.x], &a[i], sizeof(float));
    }
    __pipeline_commit();
    for (; i < n; i += step, stage ^= 1) {
        if (i + step < n) {
            __pipeline_memcpy_async(&tile[stage ^ 1][threadIdx.x], &a[i + step], sizeof(float));
        }
        __pipeline_commit();
        __pipeline_wait_prior(1); // all but the newest group have arrived: this step's has
        c[i] = tile[stage][threadIdx.x];
    }
}
//! [async]

//! [stencil]
constexpr int radius = 8;

// c[i] = a[i - radius] + ... + a[i + radius]; what lies outside the array counts as zero.
__global__ void stencil_direct(const float* a, float* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        float sum = 0.0f;
        for (int k = -radius; k <= radius; ++k) {
            const std::size_t j = i + static_cast<std::size_t>(k); // wraps below 0, so j >= n there
            sum += j < n ? a[j] : 0.0f;
        }
        c[i] = sum;
    }
}

// Each element is loaded once by its block, then read 17 times from shared memory. The block needs
// 2 * radius elements more than it has threads: the first threads load a second one.
__global__ void stencil_shared(const float* a, float* c, std::size_t n)
{
    __shared__ float tile[threads + 2 * radius];
    const std::size_t start = std::size_t{blockIdx.x} * blockDim.x;
    const std::size_t j = start + threadIdx.x - radius;
    tile[threadIdx.x] = j < n ? a[j] : 0.0f;
    if (threadIdx.x < 2 * radius) {
        tile[threads + threadIdx.x] = j + threads < n ? a[j + threads] : 0.0f;
    }
    __syncthreads(); // neighbours' elements were loaded by other threads
    const std::size_t i = start + threadIdx.x;
    if (i < n) {
        float sum = 0.0f;
        for (int k = 0; k <= 2 * radius; ++k) {
            sum += tile[threadIdx.x + static_cast<unsigned>(k)];
        }
        c[i] = sum;
    }
}
//! [stencil]

//! [reorder]
constexpr unsigned side = 32;

// Every 1024 elements of a are a 32 x 32 matrix, whose transpose takes their place in c; what is
// left at the end is copied.
__global__ void reorder_direct(const float* a, float* c, std::size_t n)
{
    const std::size_t start = std::size_t{blockIdx.x} * side * side;
    const std::size_t i = start + threadIdx.x;
    if (start + side * side <= n) {
        c[start + threadIdx.x % side * side + threadIdx.x / side] = a[i];
    } else if (i < n) {
        c[i] = a[i];
    }
}

// Shared memory turns the matrix: both global accesses are coalesced. With a pitch of 32 all lanes
// of a warp read the same bank, one after the other; with 33 each reads a bank of its own.
template<unsigned pitch>
__global__ void reorder_shared(const float* a, float* c, std::size_t n)
{
    __shared__ float tile[side * pitch];
    const std::size_t start = std::size_t{blockIdx.x} * side * side;
    const std::size_t i = start + threadIdx.x;
    if (start + side * side <= n) { // the same for all threads of a block, so all meet the barrier
        tile[threadIdx.x / side * pitch + threadIdx.x % side] = a[i];
        __syncthreads();
        c[i] = tile[threadIdx.x % side * pitch + threadIdx.x / side];
    } else if (i < n) {
        c[i] = a[i];
    }
}
//! [reorder]

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    //! [rows]
    const auto run = [&](const char* name, auto& problem, auto kernel, unsigned block,
                         unsigned grid) {
        chapter.run({.name = name, .threads = block}, problem, [&](cudaStream_t stream) {
            kernel<<<grid, block, 0, stream>>>(problem.a, problem.c, problem.n);
        });
    };
    const std::size_t n = chapter.n();
    const unsigned grid = common::blocks(n, threads);
    common::Copy<float> copy(chapter);
    run("copy_direct", copy, copy_direct, threads, grid);
    run("copy_staged", copy, copy_staged, threads, grid);
    run("copy_async", copy, copy_async, threads, common::blocks(grid, 32));
    common::run_copy_libraries(chapter, copy);

    common::Arrays<float> stencil(chapter, {.task = "stencil"}, [n](auto& in, std::size_t i) {
        float sum = 0.0f;
        for (std::size_t j = i < radius ? 0 : i - radius; j <= i + radius && j < n; ++j) {
            sum += in.a[j];
        }
        return sum;
    });
    run("stencil_direct", stencil, stencil_direct, threads, grid);
    run("stencil_shared", stencil, stencil_shared, threads, grid);

    common::Arrays<float> reorder(chapter, {.task = "reorder"}, [n](auto& in, std::size_t i) {
        const std::size_t k = i % (side * side);
        return i - k + side * side <= n ? in.a[i - k + k % side * side + k / side] : in.a[i];
    });
    const unsigned tiles = common::blocks(n, side * side);
    run("reorder_direct", reorder, reorder_direct, side * side, tiles);
    run("reorder_shared", reorder, reorder_shared<side>, side * side, tiles);
    run("reorder_padded", reorder, reorder_shared<side + 1>, side * side, tiles);
    //! [rows]
    return chapter.finish();
}
