// A chapter with one variant that is right and one for each way in which a kernel goes wrong.
#include "common/chapter.hpp"

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

} // namespace

int main(int argc, char** argv)
{
    common::Chapter chapter("00_sample", argc, argv);
    common::VectorAdd problem(chapter);
    using Add = void (*)(const float*, const float*, float*, std::size_t);
    const auto run = [&](const char* name, Add kernel) {
        chapter.run({name, 64}, problem, [&](cudaStream_t stream) {
            kernel<<<common::blocks(problem.n, 64), 64, 0, stream>>>(problem.a, problem.b,
                                                                     problem.c, problem.n);
        });
    };
    run("right", right);
    run("skips_the_last", skips_the_last);
    run("writes_past_the_end", writes_past_the_end);
    chapter.gpu_only({"elsewhere"}, problem.n);
    if (chapter.selected("throws"))
        chapter.run({"throws"}, problem,
                    [](cudaStream_t) { CHECK_CUDA(cudaMemset(nullptr, 0, 16)); });
    return chapter.finish();
}
