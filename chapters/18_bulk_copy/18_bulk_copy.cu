// 18_bulk_copy: What is the last percent of the bandwidth made of?
//
// float4 is within a percent of the best library kernel. What is left: how many threads a block
// has, hints for the caches, and on compute capability 9.0 and later the bulk copy engine, which
// fetches kilobytes for one instruction of one thread.

#include "common/chapter.hpp"

#ifdef __CUDACC__
#include <cuda/ptx>
#endif

__device__ float4 add4(float4 x, float4 y)
{
    return make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
}

//! [hints]
// Plain accesses; loads that promise read-only data; stores that ask not to be kept in the caches.
struct Plain
{
    static __device__ float4 load(const float4* p) { return *p; }
    static __device__ void store(float4* p, float4 value) { *p = value; }
};

struct ReadOnly
{
    static __device__ float4 load(const float4* p) { return __ldg(p); }
    static __device__ void store(float4* p, float4 value) { *p = value; }
};

struct Streaming
{
    static __device__ float4 load(const float4* p) { return __ldcs(p); }
    static __device__ void store(float4* p, float4 value) { __stcs(p, value); }
};
//! [hints]

//! [plain]
template<class Hints>
__global__ void add_float4(const float* a, const float* b, float* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::size_t vectors = n / 4;
    if (i < vectors) {
        const float4 x = Hints::load(reinterpret_cast<const float4*>(a) + i);
        const float4 y = Hints::load(reinterpret_cast<const float4*>(b) + i);
        Hints::store(reinterpret_cast<float4*>(c) + i, add4(x, y));
    } else if (i == vectors) {
        for (std::size_t k = 4 * vectors; k < n; ++k) {
            c[k] = a[k] + b[k];
        }
    }
}

template<class Hints>
__global__ void copy_float4(const float* a, float* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::size_t vectors = n / 4;
    if (i < vectors) {
        Hints::store(reinterpret_cast<float4*>(c) + i,
                     Hints::load(reinterpret_cast<const float4*>(a) + i));
    } else if (i == vectors) {
        for (std::size_t k = 4 * vectors; k < n; ++k) {
            c[k] = a[k];
        }
    }
}
//! [plain]

#ifdef __CUDACC__ // the CPU device has no bulk copy engine: its rows say "GPU only"
//! [bulk]
namespace ptx = cuda::ptx;

// A block owns a tile of one float4 a thread: 16 KiB of each array at 1024 threads. Thread 0 orders
// it with one instruction an array; a barrier in shared memory counts the bytes that arrive. The
// last tile is shorter, and the n % 4 elements behind it go to a thread that has no float4.
template<unsigned arrays>
__device__ unsigned fetch_tiles(float4* tiles, const float* const (&source)[arrays], std::size_t n,
                                std::uint64_t* barrier)
{
    const std::size_t start = std::size_t{blockIdx.x} * blockDim.x;
    const std::size_t left = n / 4 - start;
    const unsigned count = left < blockDim.x ? static_cast<unsigned>(left) : blockDim.x;
#if __CUDA_ARCH__ >= 900
    if (threadIdx.x == 0) {
        const unsigned bytes = count * static_cast<unsigned>(sizeof(float4));
        ptx::mbarrier_init(barrier, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, barrier,
                                       arrays * bytes);
        for (unsigned k = 0; k < arrays && bytes != 0; ++k) {
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tiles + k * blockDim.x,
                               source[k] + 4 * start, bytes, barrier);
        }
    }
    __syncthreads(); // the barrier is initialised
    while (!ptx::mbarrier_try_wait_parity(barrier, 0)) {
    }
#endif
    return count;
}

__global__ void add_bulk(const float* a, const float* b, float* c, std::size_t n)
{
    extern __shared__ __align__(128) float4 tiles[];
    __shared__ std::uint64_t barrier;
    const unsigned count = fetch_tiles<2>(tiles, {a, b}, n, &barrier);
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (threadIdx.x < count) {
        const float4 sum = add4(tiles[threadIdx.x], tiles[blockDim.x + threadIdx.x]);
        __stcs(reinterpret_cast<float4*>(c) + i, sum);
    } else if (i == n / 4) {
        for (std::size_t k = 4 * i; k < n; ++k) {
            c[k] = a[k] + b[k];
        }
    }
}

__global__ void copy_bulk(const float* a, float* c, std::size_t n)
{
    extern __shared__ __align__(128) float4 tiles[];
    __shared__ std::uint64_t barrier;
    const unsigned count = fetch_tiles<1>(tiles, {a}, n, &barrier);
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (threadIdx.x < count) {
        reinterpret_cast<float4*>(c)[i] = tiles[threadIdx.x];
    } else if (i == n / 4) {
        for (std::size_t k = 4 * i; k < n; ++k) {
            c[k] = a[k];
        }
    }
}
//! [bulk]
#endif

int main(int argc, char** argv)
{
    common::Chapter chapter("18_bulk_copy", argc, argv);
    using Add = void (*)(const float*, const float*, float*, std::size_t);
    using Copy = void (*)(const float*, float*, std::size_t);
    {
        common::VectorAdd problem(chapter);
        const auto run = [&](const char* name, unsigned threads, std::size_t shared, Add kernel) {
            chapter.run({name, threads}, problem, [&](cudaStream_t stream) {
                kernel<<<common::blocks(problem.n, 4 * threads), threads, shared, stream>>>(
                    problem.a, problem.b, problem.c, problem.n);
            });
        };
        for (unsigned threads : {256u, 1024u}) {
            run("add_plain", threads, 0, add_float4<Plain>);
            run("add_read_only", threads, 0, add_float4<ReadOnly>);
            run("add_streaming", threads, 0, add_float4<Streaming>);
        }
#ifdef __CUDACC__
        for (unsigned threads : {256u, 512u, 1024u}) {
            if (chapter.has_compute_capability(9, {"add_bulk", threads})) {
                run("add_bulk", threads, 2 * threads * sizeof(float4), add_bulk);
            }
        }
#else
        chapter.gpu_only({"add_bulk"});
#endif
        common::run_add_peers(chapter, problem);
    }
    common::Copy<float> problem(chapter);
    const auto run = [&](const char* name, unsigned threads, std::size_t shared, Copy kernel) {
        chapter.run({name, threads}, problem, [&](cudaStream_t stream) {
            kernel<<<common::blocks(problem.n, 4 * threads), threads, shared, stream>>>(
                problem.a, problem.c, problem.n);
        });
    };
    for (unsigned threads : {256u, 512u}) {
        run("copy_plain", threads, 0, copy_float4<Plain>);
        run("copy_read_only", threads, 0, copy_float4<ReadOnly>);
        run("copy_streaming", threads, 0, copy_float4<Streaming>);
    }
#ifdef __CUDACC__
    for (unsigned threads : {256u, 512u, 1024u}) {
        if (chapter.has_compute_capability(9, {"copy_bulk", threads})) {
            run("copy_bulk", threads, threads * sizeof(float4), copy_bulk);
        }
    }
#else
    chapter.gpu_only({"copy_bulk"});
#endif
    common::run_copy_peers(chapter, problem);
    return chapter.finish();
}
