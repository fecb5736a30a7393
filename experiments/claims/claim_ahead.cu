// claim_ahead: How much of what the last selection gains is telling ahead?
//
// From the look-back of chapter 31 to its ring that tells ahead four things change: blocks are
// larger, they stay, the engine fetches for them, and they tell ahead. Here one changes after the
// other: look-back with the ring's blocks, and the ring without telling ahead. If that is what
// gains, the ring without it is no faster than look-back.

#include "common/kernels.hpp"

// As in chapter 31.
__device__ bool keep(unsigned x)
{
    return x >> 31 == 0;
}

template<unsigned words>
__device__ unsigned count_kept(const unsigned (&x)[words])
{
    unsigned count = 0;
    for (unsigned k = 0; k < words; ++k) {
        count += __popc(__ballot_sync(0xffffffff, keep(x[k])));
    }
    return count;
}

template<unsigned words>
__device__ void write_kept(const unsigned (&x)[words], unsigned* to)
{
    const unsigned below = (1U << threadIdx.x % 32) - 1; // the lanes before this one
    for (unsigned k = 0; k < words; ++k) {
        const unsigned kept = __ballot_sync(0xffffffff, keep(x[k]));
        if (keep(x[k])) {
            to[__popc(kept & below)] = x[k];
        }
        to += __popc(kept);
    }
}

template<unsigned threads, unsigned words, unsigned blocks>
__global__ void __launch_bounds__(threads, common::bound_blocks(blocks, threads))
    look_back(const unsigned* a, unsigned* c, unsigned* count, std::size_t n,
              unsigned long long* states)
{
    __shared__ unsigned warps[32], word;
    const unsigned tile = common::draw_tile(&states[0], &word);
    unsigned x[words];
    common::load_words(x, a, n, tile);
    const uint2 kept = common::before_warp(count_kept(x), warps);
    const unsigned before = common::before_tile<true>(&states[1], tile, kept.y, &word);
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
    common::TileRing<threads * words, stages> tiles(a, n, room, barriers);
    common::walk<ahead, Words<words>>(
        tiles, n, ~0U, states, laps,
        [](Words<words>& held, const uint4* stage) {
            common::words_of_stage(held.x, stage);
            held.kept = common::before_warp(count_kept(held.x), warps);
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

template<unsigned threads, unsigned words, unsigned blocks>
void run_look_back(common::Chapter& chapter, common::Selection& p)
{
    common::run_tile_row(
        chapter, p, {"look_back", threads, words, true}, [&](unsigned tiles, cudaStream_t stream) {
            CHECK_CUDA(cudaMemsetAsync(p.states, 0, (tiles + 1) * sizeof *p.states, stream));
            look_back<threads, words, blocks>
                <<<tiles, threads, 0, stream>>>(p.a, p.c, p.count, p.n, p.states);
        });
}

template<bool ahead>
void run_ring(common::Chapter& chapter, common::Selection& p)
{
    constexpr unsigned threads = 1024, words = 16, stages = 3;
    const auto kernel = ring<threads, words, stages, ahead>;
    common::run_staying_row(
        chapter, p, {ahead ? "ring_ahead" : "ring", threads, words}, kernel, stages,
        [&](unsigned tiles, unsigned grid, std::size_t shared, cudaStream_t stream) {
            CHECK_CUDA(cudaMemsetAsync(p.states, 0, tiles * sizeof *p.states, stream));
            kernel<<<grid, threads, shared, stream>>>(p.a, p.c, p.count, p.n, p.states);
        });
}

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    for (std::size_t n : chapter.sizes({.gpu = {1 << 24, 1 << 28},
                         .cpu = {1 << 18},
                         .bytes_per_element = 2 * sizeof(unsigned)})) {
        common::Selection problem(chapter, n, common::Kept::half);
        run_look_back<256, 32, 5>(chapter, problem); // as in chapter 31
        run_look_back<1024, 16, 2>(chapter, problem);
        run_ring<false>(chapter, problem);
        run_ring<true>(chapter, problem);
    }
    return chapter.finish();
}
