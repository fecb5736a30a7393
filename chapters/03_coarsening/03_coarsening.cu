// 03_coarsening: Which elements should each thread process?
//
// A thread now takes `per_thread` elements. Which ones it takes decides how many sectors a warp
// touches with one load; in which order it loads and stores decides how many bytes are in flight.

#include "common/chapter.hpp"

//! [neighbours]
// Blocked: contiguous elements. With two each, thread 0 takes 0 and 1, thread 1 takes 2 and 3.
template<unsigned per_thread>
__global__ void add_blocked(const float* a, const float* b, float* c, std::size_t n)
{
    const std::size_t first = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) * per_thread;
    for (unsigned k = 0; k < per_thread; ++k) {
        const std::size_t i = first + k;
        if (i < n) {
            c[i] = a[i] + b[i];
        }
    }
}
//! [neighbours]

//! [strided]
// Striped: in every step, the threads of a block take neighbouring elements.
template<unsigned per_thread>
__global__ void add_striped(const float* a, const float* b, float* c, std::size_t n)
{
    const std::size_t first = std::size_t{blockIdx.x} * blockDim.x * per_thread + threadIdx.x;
    for (unsigned k = 0; k < per_thread; ++k) {
        const std::size_t i = first + std::size_t{k} * blockDim.x;
        if (i < n) {
            c[i] = a[i] + b[i];
        }
    }
}
//! [strided]

//! [loads_first]
// As add_blocked, but every load is issued before the first store. The compiler may not do this by
// itself: for all it knows, c overlaps a or b.
template<unsigned per_thread>
__global__ void add_blocked_loads_first(const float* a, const float* b, float* c, std::size_t n)
{
    const std::size_t first = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) * per_thread;
    float sum[per_thread];
    for (unsigned k = 0; k < per_thread; ++k) {
        const std::size_t i = first + k;
        sum[k] = i < n ? a[i] + b[i] : 0.0f;
    }
    for (unsigned k = 0; k < per_thread; ++k) {
        const std::size_t i = first + k;
        if (i < n) {
            c[i] = sum[k];
        }
    }
}

template<unsigned per_thread>
__global__ void add_striped_loads_first(const float* a, const float* b, float* c, std::size_t n)
{
    const std::size_t first = std::size_t{blockIdx.x} * blockDim.x * per_thread + threadIdx.x;
    float sum[per_thread];
    for (unsigned k = 0; k < per_thread; ++k) {
        const std::size_t i = first + std::size_t{k} * blockDim.x;
        sum[k] = i < n ? a[i] + b[i] : 0.0f;
    }
    for (unsigned k = 0; k < per_thread; ++k) {
        const std::size_t i = first + std::size_t{k} * blockDim.x;
        if (i < n) {
            c[i] = sum[k];
        }
    }
}
//! [loads_first]

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    common::VectorAdd problem(chapter);
    using Kernel = void (*)(const float*, const float*, float*, std::size_t);
    const auto run = [&](const char* name, unsigned per_thread, Kernel kernel) {
        for (unsigned threads : {128u, 256u, 512u}) {
            const common::Variant row{.name = name,
                                      .threads = threads,
                                      .columns = {{"per_thread", per_thread}},
                                      .full_only = threads != 256};
            chapter.run(row, problem, [&](cudaStream_t stream) {
                kernel<<<common::blocks(problem.n, threads * per_thread), threads, 0, stream>>>(
                    problem.a, problem.b, problem.c, problem.n);
            });
        }
    };
    run("blocked_x2", 2, add_blocked<2>);
    run("blocked_x4", 4, add_blocked<4>);
    run("striped_x2", 2, add_striped<2>);
    run("striped_x4", 4, add_striped<4>);
    run("blocked_x4_loads_first", 4, add_blocked_loads_first<4>);
    run("striped_x4_loads_first", 4, add_striped_loads_first<4>);
    common::run_add_libraries(chapter, problem);
    return chapter.finish();
}
