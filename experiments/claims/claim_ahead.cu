// claim_ahead: How much of what the last selection gains is publishing early?
//
// From the look-back of chapter 31 to its ring that tells ahead four things change: blocks are
// larger, they stay, the engine fetches for them, and they tell ahead. Here one changes after the
// other: look-back with the ring's blocks, and the ring without publishing early. If that is what
// gains, the ring without it is no faster than look-back.

#include "../../chapters/29_scan/tile_ring.cuh"
#include "../../chapters/31_select/keep.cuh"
#include "../../chapters/31_select/selection.hpp"

#include <algorithm>

template<unsigned threads, unsigned words, unsigned blocks>
__global__ void __launch_bounds__(threads, common::bound_blocks(blocks, threads))
    look_back(const unsigned* a, unsigned* c, unsigned* count, std::size_t n,
              unsigned long long* states)
{
    __shared__ unsigned warps[32], word;
    const unsigned tile = next_tile_index(&states[0], &word);
    unsigned x[words];
    load_words(x, a, n, tile);
    const uint2 kept = before_warp(count_kept(x), warps);
    const unsigned before = before_tile<true>(&states[1], tile, kept.y, &word);
    write_kept(x, c + before + kept.x);
    if (tile == gridDim.x - 1 && threadIdx.x == 0) {
        *count = before + kept.y;
    }
}

#ifdef __CUDACC__ // the CPU device has no bulk copy engine: the rows say "GPU only"
template<unsigned words>
struct Words
{
    unsigned x[words];
    uint2 kept; // in the warps before, and in the tile
};

template<unsigned threads, unsigned words, unsigned stages, bool ahead>
__global__ void __launch_bounds__(threads, 1)
    ring(const unsigned* a, unsigned* c, unsigned* count, std::size_t n, unsigned long long* states)
{
    extern __shared__ __align__(128) uint4 room[];
    __shared__ std::uint64_t barriers[stages];
    __shared__ unsigned warps[32], laps[32];
    TileRing<threads * words, stages> tiles(a, n, room, barriers);
    process_tiles<ahead, Words<words>>(
        tiles, n, ~0U, states, laps,
        [](Words<words>& held, const uint4* stage) {
            words_of_stage(held.x, stage);
            held.kept = before_warp(count_kept(held.x), warps);
            return held.kept.y;
        },
        [&](const Words<words>& held, unsigned before, unsigned tile) {
            write_kept(held.x, c + before + held.kept.x);
            if (std::size_t{tile + 1} * threads * words >= n && threadIdx.x == 0) {
                *count = before + held.kept.y;
            }
        });
}
#else
template<unsigned threads, unsigned words, unsigned stages, bool ahead>
__global__ void ring(const unsigned*, unsigned*, unsigned*, std::size_t, unsigned long long*)
{}
#endif

common::Variant row(const char* name, unsigned threads, unsigned words, Selection& p)
{
    return {.name = name,
            .threads = threads,
            .columns = {{"bytes_per_thread", words * sizeof(unsigned)}, {"kept", p.kept_name()}},
            .model_excluded_reason = "which words are kept decides what it writes"};
}

template<unsigned threads, unsigned words, unsigned blocks>
void run_look_back(common::Chapter& chapter, Selection& p)
{
    const unsigned tiles = common::blocks(p.n, threads * words);
    common::Buffer<unsigned long long> states; // a counter of tiles, and a state per tile
    common::Variant variant = row("look_back", threads, words, p);
    variant.sequential_blocks = true;
    variant.setup = [&] { states = common::Buffer<unsigned long long>(tiles + 1); };
    chapter.run(variant, p, [&](cudaStream_t stream) {
        CHECK_CUDA(cudaMemsetAsync(states.data(), 0, states.bytes(), stream));
        look_back<threads, words, blocks>
            <<<tiles, threads, 0, stream>>>(p.a, p.c, p.count, p.n, states.data());
    });
}

template<bool ahead>
void run_ring(common::Chapter& chapter, Selection& p)
{
    constexpr unsigned threads = 1024, words = 16, stages = 3;
    constexpr std::size_t shared = stages * threads * words * sizeof(unsigned);
    const auto kernel = ring<threads, words, stages, ahead>;
    const unsigned tiles = common::blocks(p.n, threads * words);
    unsigned grid = 0;
    common::Buffer<unsigned long long> states; // one per tile
    common::Variant variant = row(ahead ? "ring_ahead" : "ring", threads, words, p);
    variant.unavailable = common::needs_compute_capability(9, shared);
    variant.setup = [&] {
        grid = std::min(tiles, common::persistent_grid_blocks(kernel, threads, shared));
        states = common::Buffer<unsigned long long>(tiles);
    };
    chapter.run(variant, p, [&](cudaStream_t stream) {
        CHECK_CUDA(cudaMemsetAsync(states.data(), 0, states.bytes(), stream));
        kernel<<<grid, threads, shared, stream>>>(p.a, p.c, p.count, p.n, states.data());
    });
}

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    for (std::size_t n : chapter.sizes({.gpu = {1 << 24, 1 << 28},
                         .cpu = {1 << 18},
                         .bytes_per_element = 2 * sizeof(unsigned)})) {
        Selection problem(chapter, n, KeepPattern::random_half);
        run_look_back<256, 32, 5>(chapter, problem); // as in chapter 31
        run_look_back<1024, 16, 2>(chapter, problem);
        run_ring<false>(chapter, problem);
        run_ring<true>(chapter, problem);
    }
    return chapter.finish();
}
