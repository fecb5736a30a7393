// 31_select: How fast can a GPU keep some elements of an array and drop the others?
//
// A counter that all threads share gives an element any place, a scan one that keeps the order.

#include "../29_scan/scan_sums.cuh"

//! [kept]
__device__ bool keep(unsigned x)
{
    return x >> 31 == 0;
}

// How many of its words a warp keeps.
template<unsigned words>
__device__ unsigned count_kept(const unsigned (&x)[words])
{
    unsigned count = 0;
    for (unsigned k = 0; k < words; ++k) {
        count += __popc(__ballot_sync(0xffffffff, keep(x[k])));
    }
    return count;
}

// Writes them one behind the other.
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
//! [kept]

//! [any_order]
__global__ void atomic(const unsigned* a, unsigned* c, unsigned* count, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n && keep(a[i])) {
        c[atomicAdd(count, 1)] = a[i];
    }
}

template<unsigned words>
__global__ void warp_aggregated(const unsigned* a, unsigned* c, unsigned* count, std::size_t n)
{
    unsigned x[words];
    common::load_words(x, a, n, blockIdx.x);
    const unsigned kept = count_kept(x);
    const unsigned first = threadIdx.x % 32 == 0 ? atomicAdd(count, kept) : 0;
    write_kept(x, c + __shfl_sync(0xffffffff, first, 0));
}
//! [any_order]

//! [three_kernels]
template<unsigned words>
__global__ void count_tiles(const unsigned* a, unsigned* sums, std::size_t n)
{
    __shared__ unsigned warps[32];
    unsigned x[words];
    common::load_words(x, a, n, blockIdx.x);
    const uint2 kept = common::before_warp(count_kept(x), warps); // before the warp, and all
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = kept.y;
    }
}

template<unsigned words>
__global__ void write_tiles(const unsigned* a, unsigned* c, unsigned* count, std::size_t n,
                            const unsigned* sums)
{
    __shared__ unsigned warps[32];
    unsigned x[words];
    common::load_words(x, a, n, blockIdx.x);
    const unsigned before = blockIdx.x > 0 ? sums[blockIdx.x - 1] : 0;
    write_kept(x, c + before + common::before_warp(count_kept(x), warps).x);
    if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0) {
        *count = sums[blockIdx.x];
    }
}
//! [three_kernels]

//! [look_back]
template<unsigned words>
__global__ void __launch_bounds__(256, common::bound_blocks(5, 256))
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
//! [look_back]

#ifdef __CUDACC__ // the CPU device has no bulk copy engine: the row says "GPU only"
//! [ring]
template<unsigned words>
struct Words
{
    unsigned x[words];
    uint2 kept; // in the warps before, and in the tile
};

// The grid of chapter 29 that stays and tells ahead.
template<unsigned threads, unsigned words, unsigned stages>
__global__ void __launch_bounds__(threads, 1)
    ring(const unsigned* a, unsigned* c, unsigned* count, std::size_t n, unsigned long long* states)
{
    extern __shared__ __align__(128) uint4 room[];
    __shared__ std::uint64_t barriers[stages];
    __shared__ unsigned warps[32], laps[32];
    common::TileRing<threads * words, stages> tiles(a, n, room, barriers);
    common::walk<true, Words<words>>(
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
//! [ring]
#else
template<unsigned threads, unsigned words, unsigned stages>
__global__ void ring(const unsigned*, unsigned*, unsigned*, std::size_t, unsigned long long*)
{}
#endif

//! [rows]
template<unsigned words, class Kernel>
void run_any_order(common::Chapter& chapter, common::Selection& p, const char* name, Kernel kernel)
{
    common::run_unordered_row(chapter, p, {name, 256, words},
                              [&](unsigned tiles, cudaStream_t stream) {
                                  CHECK_CUDA(cudaMemsetAsync(p.count, 0, sizeof *p.count, stream));
                                  kernel<<<tiles, 256, 0, stream>>>(p.a, p.c, p.count, p.n);
                              });
}

void run_in_order(common::Chapter& chapter, common::Selection& p)
{
    constexpr unsigned few = 16, many = 32, stages = 3;
    common::run_tile_row(
        chapter, p, {"three_kernels", 256, few}, [&](unsigned tiles, cudaStream_t stream) {
            count_tiles<few><<<tiles, 256, 0, stream>>>(p.a, p.sums, p.n);
            scan_sums<<<1, 512, 0, stream>>>(p.sums, tiles);
            write_tiles<few><<<tiles, 256, 0, stream>>>(p.a, p.c, p.count, p.n, p.sums);
        });
    common::run_tile_row(
        chapter, p, {"look_back", 256, many, true}, [&](unsigned tiles, cudaStream_t stream) {
            CHECK_CUDA(cudaMemsetAsync(p.states, 0, (tiles + 1) * sizeof *p.states, stream));
            look_back<many><<<tiles, 256, 0, stream>>>(p.a, p.c, p.count, p.n, p.states);
        });
    const auto kernel = ring<1024, few, stages>;
    common::run_staying_row(
        chapter, p, {"ring_ahead", 1024, few}, kernel, stages,
        [&](unsigned tiles, unsigned grid, std::size_t shared, cudaStream_t stream) {
            CHECK_CUDA(cudaMemsetAsync(p.states, 0, tiles * sizeof *p.states, stream));
            kernel<<<grid, 1024, shared, stream>>>(p.a, p.c, p.count, p.n, p.states);
        });
}
//! [rows]

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    for (std::size_t n : chapter.sizes({.gpu = {1 << 20, 1 << 24, (1 << 24) + 1009, 1 << 28},
                         .cpu = {1 << 18},
                         .usual = {1 << 28},
                         .bytes_per_element = 2 * sizeof(unsigned)})) {
        using common::Kept;
        for (const Kept kept : {Kept::half, Kept::all, Kept::none, Kept::first_half}) {
            common::Selection problem(chapter, n, kept);
            run_any_order<1>(chapter, problem, "atomic", atomic);
            run_any_order<1>(chapter, problem, "warp_aggregated", warp_aggregated<1>);
            run_any_order<16>(chapter, problem, "warp_aggregated", warp_aggregated<16>);
            run_in_order(chapter, problem);
            common::run_selection_library(chapter, problem);
        }
    }
    return chapter.finish();
}
