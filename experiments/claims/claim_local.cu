// claim_local: What makes an array in local memory slow, the memory or who requests what?
//
// Chapter 09's rotation by the number of the thread, whose lanes each read another element of their
// arrays. Next to it the same with the arrays in shared memory, and a rotation by the number of the
// warp: the array is in local memory as well, and the lanes read the same element, side by side.

#include "common/chapter.hpp"

constexpr unsigned threads = 256;
constexpr unsigned per_thread = 32; // elements

// Each `together` neighbours read the same element: one that the compiler does not know.
template<unsigned together>
__global__ void rotate(const float* a, float* c, std::size_t n)
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
            c[i] = x[(k + threadIdx.x / together) % per_thread];
        }
    }
}

// No barrier: nobody reads what another thread wrote. A lane keeps to its own bank.
__global__ void rotate_shared(const float* a, float* c, std::size_t n)
{
    const std::size_t first = std::size_t{blockIdx.x} * blockDim.x * per_thread + threadIdx.x;
    __shared__ float x[per_thread][threads];
    for (unsigned k = 0; k < per_thread; ++k) {
        const std::size_t i = first + std::size_t{k} * blockDim.x;
        x[k][threadIdx.x] = i < n ? a[i] : 0.0f;
    }
    for (unsigned k = 0; k < per_thread; ++k) {
        const std::size_t i = first + std::size_t{k} * blockDim.x;
        if (i < n) {
            c[i] = x[(k + threadIdx.x) % per_thread][threadIdx.x];
        }
    }
}

void run(common::Chapter& chapter, const char* name, std::size_t together,
         void (*kernel)(const float*, float*, std::size_t))
{
    const std::size_t n = chapter.n();
    common::Arrays<float> p(chapter, {.task = "rotate"}, [=](auto& in, std::size_t i) {
        const std::size_t k = i / threads % per_thread;
        const std::size_t places = i % threads / together;
        const std::size_t source = i + ((k + places) % per_thread - k) * threads;
        return source < n ? in.a[source] : 0.0f;
    });
    const common::Variant row{.name = name,
                              .threads = threads,
                              .columns = common::resources(kernel, threads),
                              .model_excluded_reason =
                                  "only nvcc knows how much of its array lies in local memory"};
    chapter.run(row, p, [&](cudaStream_t stream) {
        kernel<<<common::blocks(n, std::size_t{threads} * per_thread), threads, 0, stream>>>(
            p.a, p.c, n);
    });
}

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    run(chapter, "rotate_local", 1, rotate<1>);
    run(chapter, "rotate_shared", 1, rotate_shared);
    run(chapter, "rotate_by_warp", 32, rotate<32>);
    return chapter.finish();
}
