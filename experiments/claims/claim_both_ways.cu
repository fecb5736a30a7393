// claim_both_ways: Does a copy gain that the bulk copy engine stores, too?
//
// In chapter 26 the engine fetches and threads store. Here one thread of a block of 32 has the
// engine do both, with tiles of 1 to 32 KiB: no word passes through a register, and what is in
// flight is as much as the blocks of an SM have of tiles. Next to it the copy by words of 16
// bytes, and tiles that 256 threads store.

#include "common/chapter.hpp"

constexpr unsigned threads = 256;

__global__ void copy_words(const uint4* a, uint4* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * threads + threadIdx.x;
    if (i < n) {
        c[i] = a[i];
    }
}

#ifdef __CUDACC__ // the CPU device has no bulk copy engine: these rows say "GPU only"
#include <cuda/ptx>
namespace ptx = cuda::ptx;

// A block copies `tile` words.
template<bool engine_stores>
__global__ void copy_tiles(const uint4* a, uint4* c, std::size_t n, unsigned tile)
{
#if __CUDA_ARCH__ >= 900
    extern __shared__ __align__(128) uint4 room[];
    __shared__ std::uint64_t barrier;
    const std::size_t start = std::size_t{blockIdx.x} * tile;
    const std::size_t left = n - start;
    const unsigned count = left < tile ? static_cast<unsigned>(left) : tile;
    const unsigned bytes = count * unsigned{sizeof(uint4)};
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&barrier, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared,
                                       &barrier, bytes);
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, room, a + start, bytes, &barrier);
    }
    if constexpr (engine_stores) {
        if (threadIdx.x == 0) {
            while (!ptx::mbarrier_try_wait_parity(&barrier, 0)) {
            }
            ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, c + start, room, bytes);
            ptx::cp_async_bulk_commit_group();
            ptx::cp_async_bulk_wait_group_read(
                ptx::n32_t<0>{}); // shared memory goes with the block
        }
    } else {
        __syncthreads(); // the barrier is initialised
        while (!ptx::mbarrier_try_wait_parity(&barrier, 0)) {
        }
        for (unsigned i = threadIdx.x; i < count; i += blockDim.x) {
            c[start + i] = room[i];
        }
    }
#endif
}
#else
template<bool engine_stores>
__global__ void copy_tiles(const uint4*, uint4*, std::size_t, unsigned)
{}
#endif

template<bool engine_stores>
void run(common::Chapter& chapter, common::Copy<uint4>& p, unsigned block, std::size_t tile_bytes)
{
    const common::Variant row{.name = engine_stores ? "engine_stores" : "threads_store",
                              .threads = block,
                              .columns = {{"tile_bytes", tile_bytes}},
                              .unavailable = common::needs_compute_capability(9)};
    chapter.run(row, p, [&](cudaStream_t stream) {
        const auto tile = static_cast<unsigned>(tile_bytes / sizeof(uint4));
        copy_tiles<engine_stores>
            <<<common::blocks(p.n, tile), block, tile_bytes, stream>>>(p.a, p.c, p.n, tile);
    });
}

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    constexpr std::size_t gib = (std::size_t{1} << 30) / sizeof(uint4);
    const common::Sizes sizes{
        .gpu = {gib, 4 * gib}, .cpu = {1u << 14}, .bytes_per_element = 2 * sizeof(uint4)};
    for (std::size_t n : chapter.sizes(sizes)) {
        common::Copy<uint4> p(chapter, {.n = n});
        chapter.run({.name = "words", .threads = threads}, p, [&](cudaStream_t stream) {
            copy_words<<<common::blocks(p.n, threads), threads, 0, stream>>>(p.a, p.c, p.n);
        });
        run<false>(chapter, p, threads, 4096);
        for (std::size_t tile_bytes : {1024u, 2048u, 4096u, 8192u, 16384u, 32768u}) {
            run<true>(chapter, p, 32, tile_bytes);
        }
    }
    return chapter.finish();
}
