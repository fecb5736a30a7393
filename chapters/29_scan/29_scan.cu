// 29_scan: How fast can a GPU compute a prefix sum?
//
// A scan is a copy in which each element depends on all before it. The sum of the tiles before a
// block's own comes from another launch, from the block before (chained), or from the nearest block
// that has published it (decoupled look-back).
//
// tile.cuh, scan_tile.cuh             a block loads, scans and stores a tile
// scan_sums.cuh, three_kernels.cuh    three launches, between which sums of tiles are in memory
// tile_states.cuh, one_pass.cuh       one launch, whose blocks publish their sums
// tile_ring.cuh, ring.cuh             persistent blocks, whose tiles are prefetched

#include "one_pass.cuh"
#include "ring.cuh"
#include "three_kernels.cuh"

#include <algorithm>
#include <numeric>

constexpr unsigned threads = 512; // per block

//! [rows]
// Each thread has `vectors` vectors of four words of a tile.
common::Variant row(const char* name, unsigned vectors)
{
    return {.name = name,
            .threads = threads,
            .columns = {{"bytes_per_thread", vectors * sizeof(uint4)}}};
}

template<unsigned vectors>
void run_three_kernels(common::Chapter& chapter, common::Arrays<unsigned>& p)
{
    const unsigned tiles = common::blocks(p.n, threads * 4 * vectors);
    common::Buffer<unsigned> sums; // one per tile
    common::Variant variant = row("three_kernels", vectors);
    variant.setup = [&] { sums = common::Buffer<unsigned>(tiles); };
    chapter.run(variant, p, [&](cudaStream_t stream) {
        tile_sums<vectors><<<tiles, threads, 0, stream>>>(p.a, sums.data(), p.n);
        scan_sums<<<1, threads, 0, stream>>>(sums.data(), tiles);
        scan_tiles<vectors><<<tiles, threads, 0, stream>>>(p.a, p.c, sums.data(), p.n);
    });
}

template<unsigned vectors, bool looks_back>
void run_one_pass(common::Chapter& chapter, common::Arrays<unsigned>& p, bool full = false)
{
    const unsigned tiles = common::blocks(p.n, threads * 4 * vectors);
    common::Buffer<unsigned long long> states; // a counter of tiles, and a state per tile
    common::Variant variant = row(looks_back ? "look_back" : "chained", vectors);
    variant.model_excluded_reason = "blocks wait for each other";
    variant.sequential_blocks = true;
    variant.full_only = full;
    variant.setup = [&] { states = common::Buffer<unsigned long long>(tiles + 1); };
    chapter.run(variant, p, [&](cudaStream_t stream) {
        CHECK_CUDA(cudaMemsetAsync(states.data(), 0, states.bytes(), stream));
        one_pass<vectors, looks_back><<<tiles, threads, 0, stream>>>(p.a, p.c, p.n, states.data());
    });
}

template<bool publish_early, Hint hint>
void run_ring(common::Chapter& chapter, common::Arrays<unsigned>& p, const char* name)
{
    constexpr unsigned vectors = 8, stages = 3;
    constexpr std::size_t shared_bytes =
        stages * threads * vectors * sizeof(uint4); // tiles in flight
    const auto kernel = ring<threads, vectors, stages, publish_early, hint>;
    const unsigned tiles = common::blocks(p.n, threads * 4 * vectors);
    unsigned grid = 0;
    common::Buffer<unsigned long long> states; // one per tile
    common::Variant variant = row(name, vectors);
    variant.unavailable = common::needs_compute_capability(9, shared_bytes);
    variant.setup = [&] {
        // All blocks have to be resident: they wait for each other.
        grid = std::min(tiles, common::persistent_grid_blocks(kernel, threads, shared_bytes));
        states = common::Buffer<unsigned long long>(tiles);
    };
    chapter.run(variant, p, [&](cudaStream_t stream) {
        CHECK_CUDA(cudaMemsetAsync(states.data(), 0, states.bytes(), stream));
        kernel<<<grid, threads, shared_bytes, stream>>>(p.a, p.c, p.n, states.data());
    });
}
//! [rows]

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    for (std::size_t n : chapter.sizes({.gpu = {1 << 20, 1 << 24, (1 << 24) + 1009, 1 << 28},
                         .cpu = {1 << 20},
                         .default_sizes = {1 << 28},
                         .bytes_per_element = 2 * sizeof(unsigned)})) {
        common::Arrays<unsigned> p(chapter, {.task = "scan", .n = n});
        p.expect_all([n](const unsigned* a, unsigned* c) { std::partial_sum(a, a + n, c); });
        run_three_kernels<4>(chapter, p);
        run_one_pass<8, false>(chapter, p);
        run_one_pass<1, true>(chapter, p, true);
        run_one_pass<4, true>(chapter, p, true);
        run_one_pass<8, true>(chapter, p);
        run_ring<false, Hint::none>(chapter, p, "ring");
        run_ring<true, Hint::none>(chapter, p, "ring_ahead");
        run_ring<true, Hint::evict_last>(chapter, p, "ring_ahead_evict_last");
        common::run_with_scratch(chapter, p, {.name = "cub::DeviceScan::InclusiveSum"},
                                 [&](void* scratch, std::size_t& bytes, cudaStream_t stream) {
                                     common::cub_inclusive_sum(scratch, bytes, p.a, p.c, n, stream);
                                 });
    }
    return chapter.finish();
}
