// A chapter with one variant that is right and one for each way in which a kernel goes wrong.
#include "common/chapter.hpp"

#include <algorithm>
#include <string_view>

namespace {

__global__ void right(const float* a, const float* b, float* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

__global__ void skips_the_last(const float* a, const float* b, float* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i + 1 < n)
        c[i] = a[i] + b[i];
}

__global__ void writes_past_the_end(const float* a, const float* b, float* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
    if (i == 0)
        c[n] = 0.0f;
}

// The second warp of a block stores what both have added, and does not wait for the first.
__global__ void waits_for_no_warp(const float* a, const float* b, float* c, std::size_t n)
{
    __shared__ float sums[64];
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    sums[threadIdx.x] = i < n ? a[i] + b[i] : 0.0f;
    if (threadIdx.x < 32)
        return;
    if (i - 32 < n)
        c[i - 32] = sums[threadIdx.x - 32];
    if (i < n)
        c[i] = sums[threadIdx.x];
}

__global__ void writes_to_address_zero(float* nowhere)
{
    *nowhere = 0.0f;
}

} // namespace

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    common::VectorAdd problem(chapter);
    using Add = void (*)(const float*, const float*, float*, std::size_t);
    const auto run = [&](const char* name, Add kernel, bool full = false) {
        chapter.run({.name = name, .threads = 64, .full_only = full}, problem,
                    [&](cudaStream_t stream) {
                        kernel<<<common::blocks(problem.n, 64), 64, 0, stream>>>(
                            problem.a, problem.b, problem.c, problem.n);
                    });
    };
    run("right", right);
    run("skips_the_last", skips_the_last);
    run("writes_past_the_end", writes_past_the_end);
    run("thorough", right, true);
    chapter.run({.name = "elsewhere", .unavailable = "GPU only"}, problem, common::Launch());
    if (std::find(argv + 1, argv + argc, std::string_view("step")) != argv + argc) {
        const auto launch = [&](Add kernel) {
            return [&problem, kernel](cudaStream_t stream) {
                kernel<<<common::blocks(problem.n, 64), 64, 0, stream>>>(problem.a, problem.b,
                                                                         problem.c, problem.n);
            };
        };
        chapter.run_transfer(
            {.name = "step", .threads = 64, .before = launch(right), .after = launch(right)},
            problem, launch(skips_the_last));
    }
    // What ends the program runs only when it is requested by name.
    const auto run_if_named = [&](const char* name, const common::Launch& launch) {
        if (std::find(argv + 1, argv + argc, std::string_view(name)) != argv + argc)
            chapter.run({.name = name}, problem, launch);
    };
    run_if_named("throws", [](cudaStream_t) { CHECK_CUDA(cudaMemset(nullptr, 0, 16)); });
    run_if_named("faults",
                 [](cudaStream_t stream) { writes_to_address_zero<<<1, 1, 0, stream>>>(nullptr); });
    run_if_named("waits_for_no_warp", [&](cudaStream_t stream) {
        waits_for_no_warp<<<common::blocks(problem.n, 64), 64, 0, stream>>>(problem.a, problem.b,
                                                                            problem.c, problem.n);
    });
    run_if_named("waits", [&](cudaStream_t stream) {
        right<<<common::blocks(problem.n, 64), 64, 0, stream>>>(problem.a, problem.b, problem.c,
                                                                problem.n);
        CHECK_CUDA(cudaStreamSynchronize(stream));
    });
    return chapter.finish();
}
