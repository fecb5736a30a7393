// 36_pipelines: When is it worth to fetch ahead?
//
// A thread that stays can ask for what comes next while it works on what it has: by loads into
// registers, by asynchronous copies into shared memory, by the bulk copy engine.

#include "common/kernels.hpp"

#include <cuda_pipeline.h>

#include <algorithm>

using common::add4, common::add_last;

//! [registers]
// In steps of the grid, with the loads of the next `ahead` steps on their way into registers. With
// none ahead it is a loop as in chapter 03.
template<unsigned ahead>
__global__ void registers(const float4* a, const float4* b, float4* c, std::size_t n, unsigned)
{
    const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
    std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if constexpr (ahead > 0) {
        float4 x[ahead], y[ahead];
        const bool all = i + (ahead - 1) * step < n / 4;
        for (unsigned k = 0; k < ahead && all; ++k) {
            x[k] = a[i + k * step];
            y[k] = b[i + k * step];
        }
#pragma unroll 1
        for (; i + (2 * ahead - 1) * step < n / 4; i += ahead * step) {
            for (unsigned k = 0; k < ahead; ++k) {
                __stcs(&c[i + k * step], add4(x[k], y[k]));
                x[k] = a[i + (ahead + k) * step];
                y[k] = b[i + (ahead + k) * step];
            }
        }
        for (unsigned k = 0; k < ahead && all; ++k, i += step) {
            __stcs(&c[i], add4(x[k], y[k]));
        }
    }
#pragma unroll 1
    for (; i < n / 4; i += step) {
        __stcs(&c[i], add4(a[i], b[i]));
    }
    add_last(a, b, c, n);
}
//! [registers]

//! [async]
// The same by cp.async: what a thread has ordered comes into its own places of shared memory, in
// `stages` groups, and takes no register on its way.
template<unsigned stages>
__global__ void async(const float4* a, const float4* b, float4* c, std::size_t n, unsigned)
{
    extern __shared__ __align__(128) float4 places[]; // of a stage: one of a and one of b a thread
    const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
    std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const auto fetch = [&](std::size_t from, unsigned stage) {
        float4* place = &places[2 * stage * blockDim.x + threadIdx.x];
        if (from < n / 4) {
            __pipeline_memcpy_async(place, &a[from], sizeof(float4));
            __pipeline_memcpy_async(place + blockDim.x, &b[from], sizeof(float4));
        }
        __pipeline_commit(); // a group, even if nothing is in it: groups are counted
    };
    for (unsigned stage = 0; stage < stages; ++stage) {
        fetch(i + stage * step, stage);
    }
    for (unsigned stage = 0; i < n / 4; i += step, stage = (stage + 1) % stages) {
        __pipeline_wait_prior(stages - 1);
        const float4* place = &places[2 * stage * blockDim.x + threadIdx.x];
        const float4 sum = add4(place[0], place[blockDim.x]);
        fetch(i + stages * step, stage);
        __stcs(&c[i], sum);
    }
    add_last(a, b, c, n);
}
//! [async]

#ifdef __CUDACC__ // the CPU device has no bulk copy engine: these rows say "GPU only"
#include <cuda/ptx>
namespace ptx = cuda::ptx;

//! [ring]
// One thread of the last warp orders tiles of `tile` float4s, the other warps add them. A stage is
// full when its bytes have come, and empty when the sum in its place has been stored, by the
// engine.
template<unsigned stages>
__global__ void ring(const float4* a, const float4* b, float4* c, std::size_t n, unsigned tile)
{
#if __CUDA_ARCH__ >= 900
    extern __shared__ __align__(128) float4 tiles[]; // of a stage: one of a and one of b
    __shared__ std::uint64_t full[stages], empty[stages];
    const unsigned consumers = blockDim.x - 32;
    if (threadIdx.x == 0) {
        for (unsigned stage = 0; stage < stages; ++stage) {
            ptx::mbarrier_init(&full[stage], 1);
            ptx::mbarrier_init(&empty[stage], consumers);
        }
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    __syncthreads();
    unsigned k = 0; // tiles of this block so far
    for (std::size_t i = std::size_t{blockIdx.x} * tile; i < n / 4;
         i += std::size_t{gridDim.x} * tile, ++k) {
        const unsigned stage = k % stages, turn = k / stages % 2;
        const auto count = static_cast<unsigned>(n / 4 - i < tile ? n / 4 - i : tile);
        const unsigned bytes = count * static_cast<unsigned>(sizeof(float4));
        float4* x = &tiles[2 * stage * tile];
        if (threadIdx.x == consumers) {
            while (k >= stages && !ptx::mbarrier_try_wait_parity(&empty[stage], turn ^ 1)) {
            }
            std::uint64_t* bar = &full[stage];
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, bar,
                                           2 * bytes);
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, x, a + i, bytes, bar);
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, x + tile, b + i, bytes, bar);
        } else if (threadIdx.x < consumers) {
            while (!ptx::mbarrier_try_wait_parity(&full[stage], turn)) {
            }
            for (unsigned j = threadIdx.x; j < count; j += consumers) {
                x[j] = add4(x[j], x[j + tile]);
            }
            ptx::fence_proxy_async(ptx::space_shared); // the engine sees what threads have stored
            asm volatile("bar.sync 1, %0;" ::"r"(consumers) : "memory"); // all but the producer
            if (threadIdx.x == 0) {
                ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, c + i, x, bytes);
                ptx::cp_async_bulk_commit_group();
                ptx::cp_async_bulk_wait_group_read(ptx::n32_t<1>{}); // all but this one are read
            }
            if (std::uint64_t* bar = &empty[(k + stages - 1) % stages]; k > 0) {
                ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cta, ptx::space_shared, bar);
            }
        } else {
            break;
        }
    }
    if (threadIdx.x == 0) {
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>{}); // shared memory goes with the block
    }
    add_last(a, b, c, n);
#endif
}
//! [ring]
#else
template<unsigned stages>
__global__ void ring(const float4*, const float4*, float4*, std::size_t, unsigned)
{}
#endif

//! [rows]
// One block of four warps a multiprocessor, or as many of eight as it has room for. A ring has one
// more, and tiles of 8 or 4 KiB. There are steps for each block: 16 where n allows it.
void run(common::Chapter& chapter, common::VectorAdd& p, common::Variant row, auto kernel,
         unsigned ahead, unsigned arrays = 2, bool ring = false)
{
    for (const bool filled : {false, true}) {
        const unsigned threads = (filled ? 256 : 128) + (ring ? 32 : 0);
        const unsigned tile = ring ? (filled ? 256 : 512) : threads;
        const std::size_t bytes = arrays * ahead * tile * sizeof(float4);
        unsigned grid = 0;
        row.threads = threads;
        row.unmodelled = ahead > 0 ? "it takes what is fetched ahead for what is waited for" : "";
        row.columns = {{"ahead", ahead}, {"filled", filled ? "yes" : "no"}};
        row.setup = [&] {
            grid = std::min(common::blocks(p.n, 64 * std::size_t{tile}),
                            common::staying_blocks(kernel, threads, bytes, filled ? ~0U : 1));
        };
        chapter.run(row, p, [&](cudaStream_t stream) {
            const auto* a = reinterpret_cast<const float4*>(p.a);
            const auto* b = reinterpret_cast<const float4*>(p.b);
            kernel<<<grid, threads, bytes, stream>>>(a, b, reinterpret_cast<float4*>(p.c), p.n,
                                                     tile);
        });
    }
}
//! [rows]

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    for (std::size_t n : chapter.sizes({.gpu = {1 << 24, (1 << 24) + 1009, 1 << 28},
                         .cpu = {1 << 20},
                         .usual = {1 << 28},
                         .bytes_per_element = 3 * sizeof(float)})) {
        common::VectorAdd p(chapter, {.n = n});
        run(chapter, p, {.name = "registers"}, registers<0>, 0);
        run(chapter, p, {.name = "registers", .full = true}, registers<2>, 2, 0);
        run(chapter, p, {.name = "registers"}, registers<8>, 8, 0);
        run(chapter, p, {.name = "async", .full = true}, async<1>, 1);
        run(chapter, p, {.name = "async"}, async<4>, 4);
        run(chapter, p, {.name = "async"}, async<8>, 8);
        const auto missing = common::needs_compute_capability(9);
        run(chapter, p, {.name = "ring", .unavailable = missing}, ring<4>, 4, 2, true);
        run(chapter, p, {.name = "ring", .unavailable = missing}, ring<6>, 6, 2, true);
        common::run_add_libraries(chapter, p);
    }
    return chapter.finish();
}
