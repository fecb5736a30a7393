// 38_clusters: When is distributed shared memory worth using?
//
// 2^16 counters of a histogram exceed a block's shared memory. They stay in L2, are counted in
// several passes, or are partitioned among blocks (each_value.cuh, partitioned.cuh). The blocks of
// a cluster (compute capability 9.0, cluster_launch.cuh) add to each other's counters
// (dsmem_atomics.cuh), or share loads (cluster_tiles.cuh, tiles.cuh).

#include "../30_histogram/histogram.hpp" // chapter 30's array and reference
#include "cluster_launch.cuh"
#include "dsmem_atomics.cuh"
#include "tiles.cuh"

//! [rows]
constexpr unsigned max_partition = 1 << 15; // counters: 128 of the 227 KiB that a block can have

void run_histogram(common::Chapter& chapter, std::size_t n, Spread spread, unsigned bits)
{
    Histogram<unsigned> p(chapter, n, spread, bits);
    const auto bins = static_cast<unsigned>(p.bins);
    const unsigned shift = 32 - bits;
    const unsigned partitions = bins / max_partition;
    const auto row = [&](const char* name, unsigned blocks) {
        common::Variant variant{.name = name,
                                .threads = threads,
                                .columns = {{"counters", bins}, {"values", name_of(spread)}},
                                .model_excluded_reason = "its sample of the blocks has no values",
                                .full_only = bits != 16 || spread != Spread::uniform || blocks > 2};
        if (blocks > 0) {
            variant.columns.push_back({"blocks", blocks});
        }
        return variant;
    };

    unsigned grid = 0;
    common::Variant variant = row("global", 0);
    variant.setup = [&] {
        grid = grid_of(n, 0, 1, common::persistent_grid_blocks(global, threads));
    };
    chapter.run(variant, p, [&](cudaStream_t stream) {
        CHECK_CUDA(cudaMemsetAsync(p.c, 0, bins * sizeof *p.c, stream));
        global<<<grid, threads, 0, stream>>>(p.a, p.c, n, shift);
    });

    // Without clusters: each block has a partition of the counters of a pass.
    const auto run_partitioned = [&](const char* name, unsigned blocks, unsigned passes) {
        const unsigned partition = bins / blocks / passes;
        const std::size_t shared_bytes = partition * sizeof(unsigned);
        variant = row(name, blocks);
        variant.unavailable = [=] { return common::lack_of_shared_memory(shared_bytes); };
        variant.setup = [&] {
            grid = grid_of(n, bins, blocks,
                           common::persistent_grid_blocks(partitioned, threads, shared_bytes));
        };
        chapter.run(variant, p, [&](cudaStream_t stream) {
            CHECK_CUDA(cudaMemsetAsync(p.c, 0, bins * sizeof *p.c, stream));
            for (unsigned pass = 0; pass < passes; ++pass) {
                partitioned<<<grid, threads, shared_bytes, stream>>>(p.a, p.c, n, shift, partition,
                                                                     blocks, pass);
            }
        });
    };
    run_partitioned("multi_pass", 1, partitions);

    // In clusters: each block has a partition, and `tile_bytes` for tiles.
    const auto run_clusters = [&](const char* name, auto kernel, unsigned blocks,
                                  std::size_t tile_bytes) {
        const unsigned partition = bins / blocks;
        const std::size_t shared_bytes = partition * sizeof(unsigned) + tile_bytes;
        const auto resident_blocks = [=] {
            const ClusterLaunch one(blocks, threads, blocks, shared_bytes, nullptr);
            return blocks * one.resident_clusters(kernel);
        };
        variant = row(name, blocks);
        variant.unavailable = [=]() -> std::string {
            const std::string lack = common::needs_compute_capability(9, shared_bytes)();
            return !lack.empty() || resident_blocks() > 0
                       ? lack
                       : "no " + std::to_string(blocks) + " such blocks fit";
        };
        variant.setup = [&] { grid = grid_of(n, bins, blocks, resident_blocks()); };
        chapter.run(variant, p, [&](cudaStream_t stream) {
            CHECK_CUDA(cudaMemsetAsync(p.c, 0, bins * sizeof *p.c, stream));
            const ClusterLaunch launch(grid, threads, blocks, shared_bytes, stream);
            launch(kernel, p.a, p.c, n, shift, partition);
        });
    };
    for (unsigned blocks = partitions; blocks <= 16; blocks *= 2) {
        run_clusters("dsmem_atomics", dsmem_atomics, blocks, 0);
        if (blocks > 1 && blocks <= std::max(2 * partitions, 4u)) {
            run_partitioned("replicated_reads", blocks, 1);
            run_clusters("tma_per_block", tiles<false>, blocks, stages * tile * sizeof(uint4));
            run_clusters("multicast", tiles<true>, blocks, stages * tile * sizeof(uint4));
        }
    }

    variant = row("cub::DeviceHistogram::HistogramEven", 0);
    variant.threads = 0u; // CUB's own
    common::run_with_scratch(chapter, p, variant,
                             [&](void* scratch, std::size_t& bytes, cudaStream_t stream) {
                                 common::cub_histogram(scratch, bytes, p.a, p.c, n, p.bits, stream);
                             });
}
//! [rows]

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    for (std::size_t n : chapter.sizes({.gpu = {1 << 20, (1 << 24) + 1009, 1 << 28},
                         .cpu = {1 << 18},
                         .default_sizes = {1 << 28},
                         .bytes_per_element = sizeof(unsigned)})) {
        run_histogram(chapter, n, Spread::uniform, 16);
        run_histogram(chapter, n, Spread::skewed, 16);
        if (n == 1u << 28) {
            run_histogram(chapter, n, Spread::uniform, 15);
            run_histogram(chapter, n, Spread::uniform, 17);
        }
    }
    return chapter.finish();
}
