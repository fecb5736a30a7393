// claim_ring: Are bytes in flight all, whoever stores, or is it the number of blocks?
//
// A copy by persistent blocks, one on each SM or two, with a ring of one to eight tiles
// in flight: so the bytes in flight change and the blocks do not. Its tiles are stored by the
// threads or by the bulk copy engine; or by nobody, where the threads only read them.

#include "../../chapters/22_bytes_in_flight/words_expected.hpp"
#include "../../chapters/29_scan/tile_ring.cuh"

#include <algorithm>

constexpr unsigned threads = 256;

#ifdef __CUDACC__
template<unsigned words, unsigned stages, bool engine>
__global__ void copy(const unsigned* a, unsigned* c, std::size_t n)
{
    extern __shared__ __align__(128) uint4 room[];
    __shared__ std::uint64_t barriers[stages];
    TileRing<words, stages> tiles(a, n, room, barriers);
    for (unsigned tile = blockIdx.x; std::size_t{tile} * words < n; tile += gridDim.x) {
        const uint4* stage = tiles.wait(tile, 0);
        const std::size_t start = std::size_t{tile} * words;
        if (engine && start + words <= n) {
#if __CUDA_ARCH__ >= 900
            if (threadIdx.x == 0) {
                ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, c + start, stage,
                                   words * static_cast<unsigned>(sizeof(unsigned)));
                ptx::cp_async_bulk_commit_group();
                ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
            }
#endif
        } else {
            for (unsigned k = threadIdx.x; k < words / 4; k += threads) {
                if (start + 4 * k + 3 < n) {
                    reinterpret_cast<uint4*>(c + start)[k] = stage[k];
                } else {
                    for (unsigned m = 4 * k; m < 4 * k + 4 && start + m < n; ++m) {
                        c[start + m] = reinterpret_cast<const unsigned*>(stage)[m];
                    }
                }
            }
        }
        __syncthreads(); // all have read the tile
        tiles.release(tile);
    }
#if __CUDA_ARCH__ >= 900
    if (engine && threadIdx.x == 0) {
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>{}); // shared memory goes with the block
    }
#endif
}

// A word for each thread: the bits of what it reads. n is a multiple of four.
template<unsigned words, unsigned stages>
__global__ void read(const unsigned* a, unsigned* c, std::size_t n)
{
    extern __shared__ __align__(128) uint4 room[];
    __shared__ std::uint64_t barriers[stages];
    TileRing<words, stages> tiles(a, n, room, barriers);
    unsigned x = 0;
    for (unsigned tile = blockIdx.x; std::size_t{tile} * words < n; tile += gridDim.x) {
        const uint4* stage = tiles.wait(tile, 0);
        for (unsigned k = threadIdx.x; k < words / 4; k += threads) {
            const uint4 v = stage[k];
            x ^= v.x ^ v.y ^ v.z ^ v.w;
        }
        __syncthreads(); // all have read the tile
        tiles.release(tile);
    }
    c[std::size_t{blockIdx.x} * threads + threadIdx.x] = x;
}
#else
template<unsigned words, unsigned stages, bool engine>
__global__ void copy(const unsigned*, unsigned*, std::size_t)
{}
template<unsigned words, unsigned stages>
__global__ void read(const unsigned*, unsigned*, std::size_t)
{}
#endif

template<unsigned words, unsigned stages, bool engine>
void run(common::Chapter& chapter, common::Copy<unsigned>& p)
{
    for (unsigned each : {1u, 2u}) { // blocks on an SM
        const std::size_t bytes = std::size_t{words} * stages * sizeof(unsigned);
        if (each == 2 && words != 2048) {
            continue;
        }
        unsigned grid = 0;
        chapter.run(
            {.name = engine ? "ring_engine" : "ring_threads",
             .threads = threads,
             .columns = {{"blocks", each},
                         {"tile_bytes", words * sizeof(unsigned)},
                         {"stages", stages},
                         {"in_flight", each * bytes}},
             .unavailable = common::needs_compute_capability(9),
             .setup =
                 [&] {
                     grid = std::min(common::blocks(p.n, words),
                                     common::persistent_grid_blocks(copy<words, stages, engine>,
                                                                    threads, bytes, each));
                 }},
            p, [&](cudaStream_t stream) {
                copy<words, stages, engine><<<grid, threads, bytes, stream>>>(p.a, p.c, p.n);
            });
    }
}

template<unsigned words, bool engine>
void run_stages(common::Chapter& chapter, common::Copy<unsigned>& p)
{
    run<words, 1, engine>(chapter, p);
    run<words, 2, engine>(chapter, p);
    run<words, 4, engine>(chapter, p);
    run<words, 8, engine>(chapter, p);
}

template<unsigned words, unsigned stages>
void run_read(common::Chapter& chapter, common::Words& p)
{
    for (unsigned each : {1u, 2u}) { // blocks on an SM
        const std::size_t bytes = std::size_t{words} * stages * sizeof(unsigned);
        unsigned grid = 0;
        const auto setup = [&] {
            grid =
                std::min(common::blocks(p.n, words),
                         common::persistent_grid_blocks(read<words, stages>, threads, bytes, each));
            p.expect(std::size_t{grid} * threads,
                     words_read(p, grid, threads, words / 4 / threads, sizeof(uint4)));
        };
        chapter.run({.name = "ring_reads",
                     .threads = threads,
                     .columns = {{"blocks", each},
                                 {"tile_bytes", words * sizeof(unsigned)},
                                 {"stages", stages},
                                 {"in_flight", each * bytes}},
                     .unavailable = common::needs_compute_capability(9),
                     .setup = setup},
                    p, [&](cudaStream_t stream) {
                        read<words, stages><<<grid, threads, bytes, stream>>>(p.a, p.c, p.n);
                    });
    }
}

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    common::Copy<unsigned> p(chapter);
    run_stages<1024, false>(chapter, p); // tiles of 4 KiB
    run_stages<2048, false>(chapter, p);
    run_stages<4096, false>(chapter, p);
    run_stages<1024, true>(chapter, p);
    run_stages<2048, true>(chapter, p);
    run_stages<4096, true>(chapter, p);
    common::run_copy_libraries(chapter, p);

    const std::size_t n = std::max(p.n / 4 * 4, std::size_t{4});
    common::Words words(chapter, "read", n, n);
    words.moved = n * sizeof(unsigned);
    run_read<2048, 1>(chapter, words);
    run_read<2048, 2>(chapter, words);
    run_read<2048, 4>(chapter, words);
    run_read<2048, 8>(chapter, words);
    return chapter.finish();
}
