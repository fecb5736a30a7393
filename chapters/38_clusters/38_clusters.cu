// 38_clusters: When is it worth to join the shared memory of several blocks?
//
// 2^16 counters are more than a block has shared memory for. They can stay in the L2, or be counted
// a share at a time, or several blocks have a share each. Blocks of a cluster (compute capability
// 9.0) reach each other's shared memory: with what they add, or with what they load.

#include "common/kernels.hpp"

#include <cooperative_groups.h>

constexpr unsigned threads = 1024;

//! [global]
// The value of an element is what is left without its lower `down` bits.
__global__ void global(const unsigned* a, unsigned* c, std::size_t n, unsigned down)
{
    const std::size_t i = std::size_t{blockIdx.x} * threads + threadIdx.x;
    common::each_value(a, n, down, i, std::size_t{gridDim.x} * threads,
                       [&](unsigned x) { atomicAdd(&c[x], 1); });
}
//! [global]

//! [shares]
__device__ void clear(unsigned* own, unsigned share)
{
    for (unsigned k = threadIdx.x; k < share; k += threads) {
        own[k] = 0;
    }
}

__device__ void add_to(unsigned* c, const unsigned* own, unsigned share)
{
    for (unsigned k = threadIdx.x; k < share; k += threads) {
        atomicAdd(&c[k], own[k]);
    }
}

// `blocks` neighbours read the same elements, and each counts those whose counters it has: `share`
// counters from number (pass + rank) * share on.
__global__ void __launch_bounds__(threads)
    shares(const unsigned* a, unsigned* c, std::size_t n, unsigned down, unsigned share,
           unsigned blocks, unsigned pass)
{
    extern __shared__ unsigned own[];
    clear(own, share);
    __syncthreads();
    const unsigned first = (pass + blockIdx.x % blocks) * share;
    const std::size_t i = std::size_t{blockIdx.x / blocks} * threads + threadIdx.x;
    common::each_value(a, n, down, i, std::size_t{gridDim.x / blocks} * threads, [&](unsigned x) {
        if (x - first < share) {
            atomicAdd(&own[x - first], 1);
        }
    });
    __syncthreads();
    add_to(c + first, own, share);
}
//! [shares]

constexpr unsigned consumers = threads - 32; // one warp orders tiles
constexpr unsigned tile = consumers;         // vectors of 16 bytes: 15.5 KiB
constexpr unsigned stages = 4;               // tiles in shared memory, or on their way there

#ifdef __CUDACC__ // the CPU device has no clusters: these rows say "GPU only"
//! [remote]
// Blocks of a cluster read different elements, and add to the counters of the block that has them.
__global__ void __launch_bounds__(threads)
    remote(const unsigned* a, unsigned* c, std::size_t n, unsigned down, unsigned share)
{
#if __CUDA_ARCH__ >= 900
    extern __shared__ unsigned own[];
    const auto cluster = cooperative_groups::this_cluster();
    clear(own, share);
    cluster.sync(); // nobody adds before all have cleared
    const std::size_t i = std::size_t{blockIdx.x} * threads + threadIdx.x;
    const unsigned bits = __ffs(share) - 1; // share is 2^bits
    common::each_value(a, n, down, i, std::size_t{gridDim.x} * threads, [&](unsigned x) {
        unsigned* theirs = cluster.map_shared_rank(own, x >> bits);
        atomicAdd(&theirs[x & (share - 1)], 1);
    });
    cluster.sync(); // nobody leaves before all have added
    add_to(c + cluster.block_rank() * share, own, share);
#endif
}
//! [remote]

//! [tiles]
// Blocks of a cluster read the same elements, and each counts those whose counters it has.
template<bool once>
__global__ void __launch_bounds__(threads)
    tiles(const unsigned* a, unsigned* c, std::size_t n, unsigned down, unsigned share)
{
#if __CUDA_ARCH__ >= 900
    extern __shared__ __align__(128) uint4 room[];
    __shared__ std::uint64_t barriers[2 * stages];
    auto* own = reinterpret_cast<unsigned*>(room + stages * tile);
    clear(own, share);
    const common::ClusterTiles<stages, tile, consumers, once> all(a, n, room, barriers);
    const auto cluster = cooperative_groups::this_cluster();
    const unsigned first = cluster.block_rank() * share;
    const auto count = [&](unsigned value) {
        if (value - first < share) {
            atomicAdd(&own[value - first], 1);
        }
    };
    if (threadIdx.x < consumers) {
        all.take([&](uint4 v) {
            count(v.x >> down);
            count(v.y >> down);
            count(v.z >> down);
            count(v.w >> down);
        });
    } else if (threadIdx.x == consumers) {
        all.order();
    }
    if (blockIdx.x < cluster.num_blocks() && threadIdx.x < n % 4) { // what is not 16 bytes
        count(a[n / 4 * 4 + threadIdx.x] >> down);
    }
    __syncthreads();
    cluster.sync(); // nobody leaves while others tell it what they have taken
    add_to(c + first, own, share);
#endif
}
//! [tiles]
#else
__global__ void remote(const unsigned*, unsigned*, std::size_t, unsigned, unsigned) {}
template<bool once>
__global__ void tiles(const unsigned*, unsigned*, std::size_t, unsigned, unsigned)
{}
#endif

//! [rows]
constexpr unsigned most = 1 << 15; // counters: 128 of the 227 KiB that a block can have
constexpr std::size_t large = std::size_t{1} << 28;

void run_histogram(common::Chapter& chapter, std::size_t n, common::Spread spread, unsigned bits)
{
    common::Histogram<unsigned> p(chapter, n, spread, bits);
    const auto bins = static_cast<unsigned>(p.bins);
    const unsigned down = 32 - bits;
    const unsigned all = bins / most; // blocks that have all counters together
    const bool full = bits != 16 || spread != common::Spread::uniform;
    const auto run = [&](common::ShareRow row, auto kernel, auto launch) {
        row.threads = threads;
        row.full = full || row.blocks > 2;
        const auto room = [=](std::size_t bytes) {
            return common::staying_blocks(kernel, threads, bytes);
        };
        common::run_share_row(chapter, p, row, room, launch);
    };
    run({.name = "global"}, global, [&](unsigned grid, std::size_t, cudaStream_t stream) {
        global<<<grid, threads, 0, stream>>>(p.a, p.c, n, down);
    });
    run({.name = "passes", .blocks = 1, .passes = all}, shares,
        [&](unsigned grid, std::size_t bytes, cudaStream_t stream) {
            for (unsigned pass = 0; pass < all; ++pass) {
                shares<<<grid, threads, bytes, stream>>>(p.a, p.c, n, down, most, 1, pass);
            }
        });
    for (unsigned blocks = all; blocks <= 16; blocks *= 2) {
        const auto run_clusters = [&](const char* name, auto kernel, std::size_t besides) {
            common::run_cluster_row(chapter, p,
                                    {.name = name,
                                     .threads = threads,
                                     .blocks = blocks,
                                     .besides = besides,
                                     .full = full || blocks > 2},
                                    kernel);
        };
        run_clusters("remote", remote, 0);
        if (blocks == 1 || blocks > std::max(2 * all, 4u)) {
            continue;
        }
        const unsigned share = bins / blocks;
        run({.name = "alone", .blocks = blocks}, shares,
            [&](unsigned grid, std::size_t bytes, cudaStream_t stream) {
                shares<<<grid, threads, bytes, stream>>>(p.a, p.c, n, down, share, blocks, 0);
            });
        run_clusters("fetched", tiles<false>, stages * tile * sizeof(uint4));
        run_clusters("multicast", tiles<true>, stages * tile * sizeof(uint4));
    }
    common::run_histogram_library(chapter, p, common::share_variant(p, full));
}
//! [rows]

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    for (std::size_t n : chapter.sizes({.gpu = {1 << 20, (1 << 24) + 1009, large},
                         .cpu = {1 << 18},
                         .usual = {large},
                         .bytes_per_element = sizeof(unsigned)})) {
        run_histogram(chapter, n, common::Spread::uniform, 16);
        run_histogram(chapter, n, common::Spread::skewed, 16);
        if (n == large) {
            run_histogram(chapter, n, common::Spread::uniform, 15);
            run_histogram(chapter, n, common::Spread::uniform, 17);
        }
    }
    return chapter.finish();
}
