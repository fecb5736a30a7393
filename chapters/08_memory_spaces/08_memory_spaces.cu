// 08_memory_spaces: Where can a byte live, and what does each place cost?
//
// Every kernel reads an array and writes an array. What it needs besides lives in another place:
// a variable of the device, a table in constant memory, an array that each thread has for itself.

#include "common/run/chapter.hpp"
#include "resources.hpp"

constexpr unsigned threads = 256;
constexpr unsigned words = 32;      // of a table: one for each lane of a warp
constexpr unsigned per_thread = 32; // elements

//! [variables]
__device__ float addend;                           // global memory that has a name
alignas(128) __device__ float global_table[words]; // the same
__device__ const float* table;            // a pointer in global memory, to where the host says
__constant__ float constant_table[words]; // written by the host, read through a cache of its own
//! [variables]

//! [symbol]
__global__ void add_variable(const float* a, float* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i] + addend;
    }
}

// To the host, the name of a device variable is no address. It can copy to the name ...
void set_by_name(float value)
{
    CHECK_CUDA(cudaMemcpyToSymbol(addend, &value, sizeof value));
}

// ... or ask for the address, and use it as any other.
void set_by_address(float value)
{
    void* address = nullptr;
    CHECK_CUDA(cudaGetSymbolAddress(&address, addend));
    CHECK_CUDA(cudaMemcpy(address, &value, sizeof value, cudaMemcpyHostToDevice));
}
//! [symbol]

//! [tables]
// With a mask of 0 all lanes of a warp want one word of the table, with 31 each wants its own.
__global__ void add_constant(const float* a, float* c, std::size_t n, unsigned mask)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i] + constant_table[i & mask];
    }
}

__global__ void add_global(const float* a, float* c, std::size_t n, unsigned mask)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i] + global_table[i & mask];
    }
}

__global__ void add_through_pointer(const float* a, float* c, std::size_t n, unsigned mask)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i] + table[i & mask];
    }
}
//! [tables]

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

// Additions of one number, or of one word of a table.
void run_additions(common::Chapter& chapter)
{
    common::Elementwise<float> problem(chapter, "add constant");
    const unsigned grid = common::blocks(problem.n, threads);
    const auto run_variable = [&](const char* name, void (*set)(float), float value) {
        problem.expect([value](float a, std::size_t) { return a + value; });
        if (!chapter.listing()) {
            set(value);
        }
        chapter.run({name, threads, common::resources(chapter, add_variable, threads)}, problem,
                    [&](cudaStream_t stream) {
                        add_variable<<<grid, threads, 0, stream>>>(problem.a, problem.c, problem.n);
                    });
    };
    run_variable("set_by_name", set_by_name, 3);
    run_variable("set_by_address", set_by_address, 5);

    float entries[words];
    for (unsigned k = 0; k < words; ++k) {
        entries[k] = static_cast<float>(2 * k + 1);
    }
    const common::DeviceBuffer<float> elsewhere(chapter.listing() ? 0 : words);
    if (!chapter.listing()) {
        const float* address = elsewhere.data();
        CHECK_CUDA(cudaMemcpy(elsewhere.data(), entries, sizeof entries, cudaMemcpyHostToDevice));
        CHECK_CUDA(cudaMemcpyToSymbol(table, &address, sizeof address));
        CHECK_CUDA(cudaMemcpyToSymbol(global_table, entries, sizeof entries));
        CHECK_CUDA(cudaMemcpyToSymbol(constant_table, entries, sizeof entries));
    }
    using Kernel = void (*)(const float*, float*, std::size_t, unsigned);
    const auto run_table = [&](const char* name, Kernel kernel, unsigned wanted) {
        problem.expect([wanted](float a, std::size_t i) {
            return a + static_cast<float>(2 * (i % wanted) + 1);
        });
        auto columns = common::resources(chapter, kernel, threads);
        columns.insert(columns.begin(), {"wanted", wanted});
        chapter.run({name, threads, columns}, problem, [&](cudaStream_t stream) {
            kernel<<<grid, threads, 0, stream>>>(problem.a, problem.c, problem.n, wanted - 1);
        });
    };
    for (unsigned wanted = 1; wanted <= words; wanted *= 2) {
        run_table("constant", add_constant, wanted);
        run_table("global", add_global, wanted);
    }
    run_table("through_pointer", add_through_pointer, words);
}

void run_rotations(common::Chapter& chapter)
{
    common::Reference<float> problem(
        chapter, "rotate", [](const float* a, std::size_t n, std::size_t i) {
            const std::size_t k = i / threads % per_thread;
            const std::size_t source = i + ((k + i % threads) % per_thread - k) * threads;
            return source < n ? a[source] : 0.0f;
        });
    const auto run = [&](const char* name, void (*kernel)(const float*, float*, std::size_t)) {
        chapter.run({name, threads, common::resources(chapter, kernel, threads)}, problem,
                    [&](cudaStream_t stream) {
                        kernel<<<common::blocks(problem.n, std::size_t{threads} * per_thread),
                                 threads, 0, stream>>>(problem.a, problem.c, problem.n);
                    });
    };
    run("rotate_local", rotate_local);
    run("rotate_registers", rotate_registers);
    run("rotate_capped", rotate_capped);
#if CUDART_VERSION >= 12040
    run("rotate_capped_32", rotate_capped_32);
#else
    chapter.unavailable({"rotate_capped_32", threads}, problem.n, "needs CUDA 12.4");
#endif
}

int main(int argc, char** argv)
{
    common::Chapter chapter("08_memory_spaces", argc, argv);
    run_additions(chapter);
    run_rotations(chapter);
    return chapter.finish();
}
