// claim_agreements: Is it the agreements that make a multicast slow, or the size of its tiles?
//
// The counters of chapter 38, whose clusters fetch each tile for each block, or once for all. Tiles
// and stages change; and between the two stands what fetches for each block, and all the same
// waits until all blocks have taken a tile before it overwrites it: the agreement by itself.

#include "../../chapters/30_histogram/histogram.hpp"
#include "../../chapters/38_clusters/cluster_launch.cuh"
#include "../../chapters/38_clusters/cluster_tiles.cuh"
#include "../../chapters/38_clusters/each_value.cuh"

#include <cooperative_groups.h>

#include <algorithm>
#include <string>

constexpr unsigned threads = 1024;
constexpr unsigned consumers = threads - 32; // one warp issues the bulk copies

enum class Fetch
{
    each,   // every block for itself
    agreed, // the same, and a tile is free when all blocks have taken it
    once    // a part in every block, for all
};

#ifdef __CUDACC__ // the CPU device has no clusters: all rows but one say "GPU only"
#include <cuda/ptx>
namespace ptx = cuda::ptx;

// Tiles have `times` vectors for each consumer.
template<unsigned stages, unsigned times, Fetch fetch>
__global__ void __launch_bounds__(threads)
    tiles(const unsigned* a, unsigned* c, std::size_t n, unsigned shift, unsigned partition)
{
#if __CUDA_ARCH__ >= 900
    constexpr unsigned tile = times * consumers;
    extern __shared__ __align__(128) uint4 shared[];
    __shared__ std::uint64_t full[stages];
    __shared__ std::uint64_t empty[stages];
    auto* own = reinterpret_cast<unsigned*>(shared + stages * tile);
    for (unsigned k = threadIdx.x; k < partition; k += threads) {
        own[k] = 0;
    }
    const auto cluster = cooperative_groups::this_cluster();
    const unsigned blocks = cluster.num_blocks();
    const unsigned rank = cluster.block_rank();
    if (threadIdx.x == 0) {
        for (unsigned stage = 0; stage < stages; ++stage) {
            ptx::mbarrier_init(&full[stage], 1);
            ptx::mbarrier_init(&empty[stage], (fetch == Fetch::each ? 1 : blocks) * consumers / 32);
        }
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    cluster.sync();

    const unsigned first_counter = rank * partition;
    const auto count = [&](unsigned value) {
        if (value - first_counter < partition) {
            atomicAdd(&own[value - first_counter], 1);
        }
    };
    const auto* vectors = reinterpret_cast<const uint4*>(a);
    const std::size_t step = std::size_t{gridDim.x / blocks} * tile;
    unsigned k = 0;
    for (std::size_t i = std::size_t{blockIdx.x / blocks} * tile; i < n / 4; i += step, ++k) {
        const unsigned size = n / 4 - i < tile ? static_cast<unsigned>(n / 4 - i) : tile;
        const unsigned stage = k % stages;
        const unsigned turn = k / stages % 2;
        if (threadIdx.x == consumers) { // issues the bulk copy of the tile, or of its part
            while (k >= stages &&
                   !ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster,
                                                  &empty[stage], turn ^ 1)) {
            }
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared,
                                           &full[stage], size * unsigned{sizeof(uint4)});
            const unsigned part = fetch == Fetch::once ? tile / blocks : tile;
            const unsigned from = fetch == Fetch::once ? rank * part : 0;
            if (from < size) {
                uint4* to = &shared[stage * tile + from];
                const unsigned bytes = min(size - from, part) * unsigned{sizeof(uint4)};
                if constexpr (fetch == Fetch::once) {
                    multicast(to, vectors + i + from, bytes, &full[stage], blocks);
                } else {
                    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, to, vectors + i,
                                       bytes, &full[stage]);
                }
            }
        } else if (threadIdx.x < consumers) {
            while (!ptx::mbarrier_try_wait_parity(&full[stage], turn)) {
            }
            for (unsigned j = threadIdx.x; j < size; j += consumers) {
                const uint4 v = shared[stage * tile + j];
                count(v.x >> shift);
                count(v.y >> shift);
                count(v.z >> shift);
                count(v.w >> shift);
            }
            __syncwarp();
            const unsigned lane = threadIdx.x % 32;
            if (fetch != Fetch::each && lane < blocks) { // lane k tells block k
                ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, ptx::space_cluster,
                                     cluster.map_shared_rank(&empty[stage], lane));
            } else if (fetch == Fetch::each && lane == 0) {
                ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cta, ptx::space_shared,
                                     &empty[stage]);
            }
        }
    }
    if (blockIdx.x < blocks && threadIdx.x < n % 4) { // what is not 16 bytes
        count(a[n / 4 * 4 + threadIdx.x] >> shift);
    }
    __syncthreads();
    cluster.sync(); // nobody leaves while others tell it what they have taken
    for (unsigned j = threadIdx.x; j < partition; j += threads) {
        atomicAdd(&c[first_counter + j], own[j]);
    }
#endif
}
#else
template<unsigned stages, unsigned times, Fetch fetch>
__global__ void tiles(const unsigned*, unsigned*, std::size_t, unsigned, unsigned)
{}
#endif

// What the CPU device can run: an atomic of the L2 for each word.
__global__ void global(const unsigned* a, unsigned* c, std::size_t n, unsigned shift)
{
    const std::size_t i = std::size_t{blockIdx.x} * threads + threadIdx.x;
    each_value(a, n, shift, i, std::size_t{gridDim.x} * threads,
               [&](unsigned x) { atomicAdd(&c[x], 1); });
}

// Bytes of shared memory for tiles are a column: `in_flight`, at most.
template<unsigned stages, unsigned times, Fetch fetch>
void run(common::Chapter& chapter, Histogram<unsigned>& p, unsigned blocks)
{
    constexpr std::size_t tile_bytes = std::size_t{times} * consumers * sizeof(uint4);
    const auto kernel = tiles<stages, times, fetch>;
    const std::size_t shared = stages * tile_bytes + p.bins / blocks * sizeof(unsigned);
    unsigned grid = 0;
    common::Variant row{.name = fetch == Fetch::each     ? "tma_per_block"
                                : fetch == Fetch::agreed ? "agreed"
                                                         : "multicast",
                        .threads = threads,
                        .columns = {{"counters", p.bins},
                                    {"values", name_of(p.spread())},
                                    {"blocks", blocks},
                                    {"stages", stages},
                                    {"tile_bytes", tile_bytes}},
                        .unavailable = common::needs_compute_capability(9, shared)};
    row.setup = [&] {
        const ClusterLaunch launch(blocks, threads, blocks, shared, nullptr);
        const std::size_t clusters =
            std::min<std::size_t>(launch.resident_clusters(kernel), p.n / (4 * threads) / blocks);
        grid = static_cast<unsigned>(std::max<std::size_t>(clusters, 1)) * blocks;
    };
    chapter.run(row, p, [&](cudaStream_t stream) {
        CHECK_CUDA(cudaMemsetAsync(p.c, 0, p.bins * sizeof *p.c, stream));
        const ClusterLaunch launch(grid, threads, blocks, shared, stream);
        launch(kernel, static_cast<const unsigned*>(p.a), p.c, p.n, 32 - p.bits,
               static_cast<unsigned>(p.bins) / blocks);
    });
}

template<unsigned stages, unsigned times>
void run_fetches(common::Chapter& chapter, Histogram<unsigned>& p, unsigned blocks)
{
    run<stages, times, Fetch::each>(chapter, p, blocks);
    run<stages, times, Fetch::agreed>(chapter, p, blocks);
    run<stages, times, Fetch::once>(chapter, p, blocks);
}

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    for (std::size_t n : chapter.sizes(
             {.gpu = {1u << 28}, .cpu = {1u << 17}, .bytes_per_element = sizeof(unsigned)})) {
        Histogram<unsigned> p(chapter, n, Spread::uniform, 16);
        common::Variant row{.name = "global",
                            .threads = threads,
                            .columns = {{"counters", p.bins}, {"values", name_of(p.spread())}},
                            .model_excluded_reason = "its time includes a memset"};
        unsigned grid = 0;
        row.setup = [&] {
            grid = std::min(common::blocks(n, 16 * threads),
                            common::persistent_grid_blocks(global, threads));
        };
        chapter.run(row, p, [&](cudaStream_t stream) {
            CHECK_CUDA(cudaMemsetAsync(p.c, 0, p.bins * sizeof *p.c, stream));
            global<<<grid, threads, 0, stream>>>(p.a, p.c, n, 32 - p.bits);
        });
        for (unsigned blocks : {2u, 4u}) {
            run_fetches<4, 1>(chapter, p, blocks); // those of the chapter
            run_fetches<2, 1>(chapter, p, blocks);
            run_fetches<6, 1>(chapter, p, blocks);
            run_fetches<2, 2>(chapter, p, blocks);
            run_fetches<3, 2>(chapter, p, blocks);
            run_fetches<2, 3>(chapter, p, blocks);
        }
        run_fetches<4, 2>(chapter, p, 4); // with quarters of the counters there is space for these
        run_fetches<2, 4>(chapter, p, 4);
    }
    return chapter.finish();
}
