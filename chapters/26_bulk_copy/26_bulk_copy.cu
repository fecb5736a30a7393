// 26_bulk_copy: What does it gain to let the bulk copy engine fetch?
//
// float4 is within a percent of the best library kernel. The bulk copy engine (compute capability
// 9.0) fetches kilobytes at a time: tiles that one thread orders, and that come through shared
// memory without a register.

#include "common/chapter.hpp"

// Arrays of a GiB, and of four.
template<class T>
common::Sizes sizes(std::size_t cpu, std::size_t arrays)
{
    constexpr std::size_t gib = (std::size_t{1} << 30) / sizeof(T);
    return {.gpu = {gib, 4 * gib},
            .cpu = {cpu},
            .usual = {gib},
            .bytes_per_element = arrays * sizeof(T)};
}

__device__ float4 add4(float4 x, float4 y)
{
    return make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
}

//! [plain]
// The kernel of chapter 05: what the engine is compared with.
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
//! [plain]

#ifdef __CUDACC__ // the CPU device has no bulk copy engine: its rows say "GPU only"
#include <cuda/ptx>

//! [fetch]
namespace ptx = cuda::ptx;

// A block owns a tile of `tile` float4s of each array. Thread 0 orders it with one instruction an
// array; a barrier in shared memory counts the bytes that arrive. Returns how many float4s the tile
// of this block has: the last one is shorter.
template<unsigned arrays>
__device__ unsigned fetch_tiles(float4* tiles, const float4* const (&source)[arrays],
                                std::size_t vectors, unsigned tile, std::uint64_t* barrier)
{
    const std::size_t start = std::size_t{blockIdx.x} * tile;
    const std::size_t left = vectors - start;
    const unsigned count = left < tile ? static_cast<unsigned>(left) : tile;
#if __CUDA_ARCH__ >= 900
    if (threadIdx.x == 0) {
        const unsigned bytes = count * static_cast<unsigned>(sizeof(float4));
        ptx::mbarrier_init(barrier, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, barrier,
                                       arrays * bytes);
        for (unsigned k = 0; k < arrays && bytes != 0; ++k) {
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tiles + k * tile,
                               source[k] + start, bytes, barrier);
        }
    }
    __syncthreads(); // the barrier is initialised
    while (!ptx::mbarrier_try_wait_parity(barrier, 0)) {
    }
#endif
    return count;
}
//! [fetch]

//! [add]
// One float4 a thread: the tile has as many as the block has threads.
__global__ void add_bulk(const float* a, const float* b, float* c, std::size_t n)
{
    extern __shared__ __align__(128) float4 tiles[];
    __shared__ std::uint64_t barrier;
    const unsigned tile = blockDim.x;
    const std::size_t vectors = n / 4;
    const unsigned count = fetch_tiles<2>(
        tiles, {reinterpret_cast<const float4*>(a), reinterpret_cast<const float4*>(b)}, vectors,
        tile, &barrier);
    if (threadIdx.x < count) {
        float4* out = reinterpret_cast<float4*>(c) + std::size_t{blockIdx.x} * tile;
        __stcs(out + threadIdx.x, add4(tiles[threadIdx.x], tiles[tile + threadIdx.x]));
    }
    const std::size_t k = 4 * vectors + threadIdx.x;
    if (blockIdx.x == 0 && k < n) {
        c[k] = a[k] + b[k];
    }
}
//! [add]

//! [copy]
// Units of any size are bytes to a copy; only the few behind the last 16 bytes are moved as units.
template<class Unit>
__global__ void copy_bulk(const Unit* a, Unit* c, std::size_t n, unsigned tile)
{
    extern __shared__ __align__(128) float4 tiles[];
    __shared__ std::uint64_t barrier;
    constexpr std::size_t units = sizeof(float4) / sizeof(Unit);
    const std::size_t vectors = n / units;
    const unsigned count =
        fetch_tiles<1>(tiles, {reinterpret_cast<const float4*>(a)}, vectors, tile, &barrier);
    float4* out = reinterpret_cast<float4*>(c) + std::size_t{blockIdx.x} * tile;
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x) {
        out[i] = tiles[i];
    }
    const std::size_t k = units * vectors + threadIdx.x;
    if (blockIdx.x == 0 && k < n) {
        c[k] = a[k];
    }
}
//! [copy]
#else
__global__ void add_bulk(const float*, const float*, float*, std::size_t) {}
__global__ void copy_bulk(const void*, void*, std::size_t, unsigned) {}
#endif

//! [rows]
void run_add(common::Chapter& chapter, std::size_t n)
{
    common::VectorAdd problem(chapter, {.n = n});
    const auto run = [&](const common::Variant& row, auto kernel, std::size_t shared = 0) {
        chapter.run(row, problem, [&](cudaStream_t stream) {
            kernel<<<common::blocks(n, 4 * row.threads()), row.threads(), shared, stream>>>(
                problem.a, problem.b, problem.c, n);
        });
    };
    for (unsigned threads : {256u, 1024u}) {
        run({.name = "add_plain", .threads = threads}, add_float4);
    }
    // 8, 4, 3, 2 and 2 blocks a multiprocessor: 64, 64, 54, 60 and 64 KiB on their way to it
    for (unsigned threads : {256u, 512u, 576u, 960u, 1024u}) {
        const std::size_t tile = threads * sizeof(float4);
        run({.name = "add_bulk",
             .threads = threads,
             .columns = {{"tile_bytes", tile}},
             .unavailable = common::needs_compute_capability(9)},
            add_bulk, 2 * tile);
    }
    common::run_add_libraries(chapter, problem);
}

// Units of four bytes make the point.
template<class Unit>
void run_copy(common::Chapter& chapter)
{
    const bool full = sizeof(Unit) != 4;
    for (std::size_t n : chapter.sizes(sizes<Unit>(1 << 18, 2))) {
        common::Copy<Unit> p(chapter, {.n = n});
        const unsigned tile = 256; // float4s
        const std::size_t bytes = tile * sizeof(float4);
        // 8, 10 and 16 blocks a multiprocessor: 32, 40 and 64 KiB on their way to it at most
        for (unsigned threads : {256u, 192u, 128u}) {
            const common::Variant row{.name = "copy_bulk",
                                      .threads = threads,
                                      .columns = {{"unit", sizeof(Unit)}, {"tile_bytes", bytes}},
                                      .unavailable = common::needs_compute_capability(9),
                                      .full = full};
            chapter.run(row, p, [&](cudaStream_t stream) {
                const unsigned blocks = common::blocks(n, bytes / sizeof(Unit));
                copy_bulk<<<blocks, threads, bytes, stream>>>(p.a, p.c, n, tile);
            });
        }
        common::run_copy_libraries(chapter, p, {{"unit", sizeof(Unit)}}, full);
    }
}
//! [rows]

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    for (std::size_t n : chapter.sizes(sizes<float>(1 << 20, 3))) {
        run_add(chapter, n);
    }
    run_copy<unsigned char>(chapter);
    run_copy<unsigned short>(chapter);
    run_copy<unsigned>(chapter);
    run_copy<uint2>(chapter);
    return chapter.finish();
}
