// 05_float4: What do 16-byte accesses buy, and what do they ask for in return?
//
// A thread still adds four neighbours, but moves them as one float4: a warp loads 512 bytes with
// one request and uses every byte of every sector.

#include "common/chapter.hpp"

//! [add4]
__device__ float4 add4(float4 x, float4 y)
{
    return make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
}
//! [add4]

//! [float4]
// n need not be a multiple of four: one thread adds the last n % 4 elements one by one.
__global__ void add_float4(const float* a, const float* b, float* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::size_t vectors = n / 4;
    if (i < vectors) {
        const float4 x = reinterpret_cast<const float4*>(a)[i];
        const float4 y = reinterpret_cast<const float4*>(b)[i];
        reinterpret_cast<float4*>(c)[i] = add4(x, y);
    } else if (i == vectors) {
        for (std::size_t k = 4 * vectors; k < n; ++k) {
            c[k] = a[k] + b[k];
        }
    }
}
//! [float4]

//! [float2_tail]
// The same, with a float2 for the first two elements of the tail.
__global__ void add_float4_float2(const float* a, const float* b, float* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::size_t vectors = n / 4;
    if (i < vectors) {
        const float4 x = reinterpret_cast<const float4*>(a)[i];
        const float4 y = reinterpret_cast<const float4*>(b)[i];
        reinterpret_cast<float4*>(c)[i] = add4(x, y);
    } else if (i == vectors) {
        const std::size_t k = 4 * vectors;
        if (n % 4 >= 2) {
            const float2 x = *reinterpret_cast<const float2*>(a + k);
            const float2 y = *reinterpret_cast<const float2*>(b + k);
            *reinterpret_cast<float2*>(c + k) = make_float2(x.x + y.x, x.y + y.y);
        }
        if (n % 2 == 1) {
            c[n - 1] = a[n - 1] + b[n - 1];
        }
    }
}
//! [float2_tail]

//! [parameters]
// float4 pointers in the signature: the caller promises the alignment, and sees that it does.
__global__ void add_float4_parameters(const float4* a, const float4* b, float4* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::size_t vectors = n / 4;
    if (i < vectors) {
        c[i] = add4(a[i], b[i]);
    } else if (i == vectors) {
        for (std::size_t k = 4 * vectors; k < n; ++k) {
            reinterpret_cast<float*>(c)[k] =
                reinterpret_cast<const float*>(a)[k] + reinterpret_cast<const float*>(b)[k];
        }
    }
}
//! [parameters]

//! [guarded]
// For pointers of unknown alignment. A float4 at an address that is not a multiple of 16 is an
// error that ends the program. If a, b and c are off by the same number of elements, the few in
// front of the first boundary are added one by one; if not, no float4 fits all three, and all of
// them are.
__global__ void add_float4_guarded(const float* a, const float* b, float* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const auto past_boundary = [](const float* p) {
        return reinterpret_cast<std::size_t>(p) % sizeof(float4) / sizeof(float);
    };
    const std::size_t offset = past_boundary(c);
    const bool vectorisable = past_boundary(a) == offset && past_boundary(b) == offset;
    const std::size_t head = vectorisable ? (4 - offset) % 4 : n;
    const std::size_t vectors = head < n ? (n - head) / 4 : 0;
    if (i < vectors) {
        const float4 x = reinterpret_cast<const float4*>(a + head)[i];
        const float4 y = reinterpret_cast<const float4*>(b + head)[i];
        reinterpret_cast<float4*>(c + head)[i] = add4(x, y);
    }
    const std::size_t rest = n - 4 * vectors; // the head, then the tail
    for (std::size_t k = i; k < rest; k += std::size_t{gridDim.x} * blockDim.x) {
        const std::size_t element = k < head ? k : k + 4 * vectors;
        c[element] = a[element] + b[element];
    }
}
//! [guarded]

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    const auto run = [&]<class T>(const char* name, common::VectorAdd& problem,
                                  void (*kernel)(const T*, const T*, T*, std::size_t)) {
        for (unsigned threads : {128u, 256u, 512u, 1024u}) {
            const common::Variant row{.name = name, .threads = threads, .full = threads != 256};
            chapter.run(row, problem, [&](cudaStream_t stream) {
                kernel<<<common::blocks(problem.n, 4 * threads), threads, 0, stream>>>(
                    reinterpret_cast<const T*>(problem.a), reinterpret_cast<const T*>(problem.b),
                    reinterpret_cast<T*>(problem.c), problem.n);
            });
        }
    };
    common::VectorAdd problem(chapter);
    run("float4", problem, add_float4);
    run("float4_float2_tail", problem, add_float4_float2);
    run("float4_parameters", problem, add_float4_parameters);
    run("guarded", problem, add_float4_guarded);
    common::run_add_libraries(chapter, problem);
    common::VectorAdd misaligned(chapter, {.input_offset = 1, .output_offset = 1});
    run("guarded_off_by_one", misaligned, add_float4_guarded);
    return chapter.finish();
}
