// claim_ahead: How much of what the last scan and the last selection gain is publishing early?
//
// From the look-back of chapter 31 to its ring that publishes early four things change: blocks are
// larger, they are persistent, the TMA prefetches for them, and they publish early. Here one
// changes after the other: look-back with the ring's blocks, then a persistent grid, with a ring or
// without, publishing early or not. If that is what gains, it does so without a ring as well, and
// the ring without it is no faster than look-back.

#include "../../chapters/29_scan/ring.cuh"
#include "../../chapters/31_select/ring.cuh"
#include "../../chapters/31_select/selection.hpp"

#include <algorithm>
#include <numeric>

template<unsigned threads, unsigned words, unsigned blocks>
__global__ void __launch_bounds__(threads, common::bound_blocks(blocks, threads))
    look_back(const unsigned* a, unsigned* c, unsigned* count, std::size_t n,
              unsigned long long* states)
{
    __shared__ unsigned warp_sums[32], broadcast;
    const unsigned tile = next_tile_index(&states[0], &broadcast);
    unsigned x[words];
    load_words(x, a, n, tile);
    const uint2 kept = scan_warp_sums(count_kept(x), warp_sums);
    const unsigned exclusive_prefix =
        exclusive_prefix_of_tile<true>(&states[1], tile, kept.y, &broadcast);
    write_kept(x, c + exclusive_prefix + kept.x);
    if (tile == gridDim.x - 1 && threadIdx.x == 0) {
        *count = exclusive_prefix + kept.y;
    }
}

#ifdef __CUDACC__ // the CPU device has no bulk copy engine: the rows say "GPU only"
// No ring: nobody fetches a tile before it is read, where it lies. The last one may be too short.
template<unsigned words>
class TileRing<words, 0>
{
  public:
    __device__ TileRing(const unsigned* a, std::size_t n, uint4* slot, std::uint64_t*)
        : a_(a), n_(n), slot_(slot)
    {}
    __device__ const uint4* wait(unsigned tile, unsigned padding)
    {
        const std::size_t start = std::size_t{tile} * words;
        if (n_ - start >= words) {
            return reinterpret_cast<const uint4*>(a_ + start);
        }
        for (unsigned i = threadIdx.x; i < words; i += blockDim.x) {
            reinterpret_cast<unsigned*>(slot_)[i] = start + i < n_ ? a_[start + i] : padding;
        }
        __syncthreads();
        return slot_;
    }
    __device__ void release(unsigned) {}

  private:
    const unsigned* a_;
    std::size_t n_;
    uint4* slot_;
};

template<unsigned threads, unsigned vectors, unsigned stages, bool publish_early>
__global__ void __launch_bounds__(threads, 1)
    scan(const unsigned* a, unsigned* c, std::size_t n, unsigned long long* states)
{
    extern __shared__ __align__(128) uint4 slots[];
    __shared__ std::uint64_t barriers[stages + 1];
    TileRing<4 * threads * vectors, stages> tiles(a, n, slots, barriers);
    scan_ring<publish_early, vectors>(tiles, c, n, states);
}

template<unsigned threads, unsigned words, unsigned stages, bool publish_early>
__global__ void __launch_bounds__(threads, 1)
    select(const unsigned* a, unsigned* c, unsigned* count, std::size_t n,
           unsigned long long* states)
{
    extern __shared__ __align__(128) uint4 slots[];
    __shared__ std::uint64_t barriers[stages + 1];
    TileRing<threads * words, stages> tiles(a, n, slots, barriers);
    select_ring<publish_early, words>(tiles, c, count, n, threads * words, states);
}
#else
template<unsigned threads, unsigned vectors, unsigned stages, bool publish_early>
__global__ void scan(const unsigned*, unsigned*, std::size_t, unsigned long long*)
{}
template<unsigned threads, unsigned words, unsigned stages, bool publish_early>
__global__ void select(const unsigned*, unsigned*, unsigned*, std::size_t, unsigned long long*)
{}
#endif

common::Variant row(const char* name, unsigned threads, unsigned words, const char* kept)
{
    return {.name = name,
            .threads = threads,
            .columns = {{"bytes_per_thread", words * sizeof(unsigned)}, {"kept", kept}},
            .model_excluded_reason = "its stores depend on which words are kept"};
}

template<unsigned threads, unsigned words, unsigned blocks>
void run_look_back(common::Chapter& chapter, Selection& p)
{
    const unsigned tiles = common::blocks(p.n, threads * words);
    common::Buffer<unsigned long long> states; // a counter of tiles, and a state per tile
    common::Variant variant = row("look_back", threads, words, p.kept_name());
    variant.sequential_blocks = true;
    variant.setup = [&] { states = common::Buffer<unsigned long long>(tiles + 1); };
    chapter.run(variant, p, [&](cudaStream_t stream) {
        CHECK_CUDA(cudaMemsetAsync(states.data(), 0, states.bytes(), stream));
        look_back<threads, words, blocks>
            <<<tiles, threads, 0, stream>>>(p.a, p.c, p.count, p.n, states.data());
    });
}

constexpr unsigned stages = 3;

// Persistent blocks, as many with a ring as without. `launch` is one of `grid` blocks.
template<class Kernel, class Launch>
void run_persistent(common::Chapter& chapter, common::Problem& p, common::Variant variant,
                    std::size_t n, std::size_t tile, Kernel kernel, Launch launch)
{
    const std::size_t shared = stages * tile * sizeof(unsigned);
    const unsigned tiles = common::blocks(n, tile);
    unsigned grid = 0;
    common::Buffer<unsigned long long> states; // one per tile
    variant.unavailable = common::needs_compute_capability(9, shared);
    variant.setup = [&] {
        grid = std::min(tiles, common::persistent_grid_blocks(kernel, variant.threads(), shared));
        states = common::Buffer<unsigned long long>(tiles);
    };
    chapter.run(variant, p, [&](cudaStream_t stream) {
        CHECK_CUDA(cudaMemsetAsync(states.data(), 0, states.bytes(), stream));
        launch(grid, shared, stream, states.data());
    });
}

template<unsigned slots, bool publish_early>
void run_select(common::Chapter& chapter, Selection& p, const char* name)
{
    constexpr unsigned threads = 1024, words = 16;
    const auto kernel = select<threads, words, slots, publish_early>;
    run_persistent(chapter, p, row(name, threads, words, p.kept_name()), p.n, threads * words,
                   kernel,
                   [&](unsigned grid, std::size_t shared, cudaStream_t stream, auto* states) {
                       kernel<<<grid, threads, shared, stream>>>(p.a, p.c, p.count, p.n, states);
                   });
}

template<unsigned slots, bool publish_early>
void run_scan(common::Chapter& chapter, common::Arrays<unsigned>& p, const char* name)
{
    constexpr unsigned threads = 512, vectors = 8; // as in chapter 29
    const auto kernel = scan<threads, vectors, slots, publish_early>;
    run_persistent(chapter, p, row(name, threads, 4 * vectors, "sums"), p.n, threads * 4 * vectors,
                   kernel,
                   [&](unsigned grid, std::size_t shared, cudaStream_t stream, auto* states) {
                       kernel<<<grid, threads, shared, stream>>>(p.a, p.c, p.n, states);
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
        run_select<0, false>(chapter, problem, "persistent");
        run_select<0, true>(chapter, problem, "persistent_ahead");
        run_select<stages, false>(chapter, problem, "ring");
        run_select<stages, true>(chapter, problem, "ring_ahead");
        common::Arrays<unsigned> p(chapter, {.task = "scan", .n = n});
        p.expect_all([n](const unsigned* a, unsigned* c) { std::partial_sum(a, a + n, c); });
        run_scan<0, false>(chapter, p, "scan_persistent");
        run_scan<0, true>(chapter, p, "scan_persistent_ahead");
        run_scan<stages, false>(chapter, p, "scan_ring");
        run_scan<stages, true>(chapter, p, "scan_ring_ahead");
    }
    return chapter.finish();
}
