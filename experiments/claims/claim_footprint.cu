// claim_footprint: Do channels of DRAM limit loads at random?
//
// Threads read words that nobody can foresee, without an array of indices, from 16 MiB to 128 GiB,
// on all SMs or some. If channels of DRAM are the limit, the rate is the same from every footprint
// that the L2 does not hold and from half of the SMs; if the SMs' misses in flight are, it falls
// with the SMs, and if the translation of addresses is, with the footprint.

#include "common/chapter.hpp"

#include <algorithm>
#include <bit>

constexpr unsigned threads = 1024;
constexpr unsigned loads = 8; // in flight together, of a thread

// The last steps of MurmurHash3 (Appleby).
__host__ __device__ std::uint64_t hash64(std::uint64_t x)
{
    x = (x ^ x >> 33) * 0xff51afd7ed558ccd;
    x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53;
    return x ^ x >> 33;
}

__global__ void number(unsigned* a, std::size_t n)
{
    const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step) {
        a[i] = static_cast<unsigned>(i);
    }
}

__device__ unsigned sm()
{
    unsigned here = 0;
#ifdef __CUDACC__
    asm volatile("mov.u32 %0, %%smid;" : "=r"(here));
#endif
    return here;
}

// The first `blocks` blocks that come to the first `sms` SMs work, as their turn in `drawn` says.
// Each thread has `rounds` of loads from n words, a power of two.
__global__ void __launch_bounds__(threads)
    read_random(const unsigned* a, unsigned* c, std::size_t n, unsigned sms, unsigned blocks,
                unsigned rounds, unsigned* drawn)
{
    __shared__ unsigned turn;
    if (threadIdx.x == 0) {
        turn = sm() < sms ? atomicAdd(drawn, 1) : blocks;
    }
    __syncthreads();
    if (turn >= blocks) {
        return;
    }
    const std::size_t thread = std::size_t{turn} * threads + threadIdx.x;
    unsigned x = 0;
#pragma unroll 1
    for (unsigned round = 0; round < rounds; ++round) {
        unsigned v[loads];
        for (unsigned k = 0; k < loads; ++k) {
            v[k] = __ldcg(&a[hash64((thread * rounds + round) * loads + k) & (n - 1)]);
        }
        for (unsigned k = 0; k < loads; ++k) {
            x ^= v[k];
        }
    }
    c[thread] = x;
}

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    const bool cpu = common::backend() == common::Backend::cpu;
    const unsigned rounds = cpu ? 1 : 8;
    constexpr std::size_t mib = (std::size_t{1} << 20) / sizeof(unsigned);
    const common::Sizes sizes{.gpu = {16 * mib, 64 * mib, 256 * mib, 1024 * mib, 4096 * mib,
                                      16384 * mib, 65536 * mib, 131072 * mib},
                              .cpu = {1u << 16},
                              .bytes_per_element = sizeof(unsigned)};
    for (std::size_t all : chapter.sizes(sizes)) {
        const std::size_t n = std::bit_floor(all);
        common::Words p(chapter, "read at random", n);
        common::Buffer<unsigned> a, drawn;
        for (unsigned eighths : {1u, 2u, 4u, 6u, 8u}) {
            unsigned sms = 0, per_sm = 0, blocks = 0, grid = 0;
            const common::Variant row{
                .name = "read_random",
                .threads = threads,
                .columns = {{"eighths_of_sms", eighths}, {"sms", [&] { return sms; }}},
                .model_excluded_reason = "where its words lie decides",
                .setup = [&] {
                    if (a.size() == 0) {
                        a = common::Buffer<unsigned>(n);
                        drawn = common::Buffer<unsigned>(1);
                        number<<<1024, 256>>>(a.data(), n);
                    }
                    const unsigned count =
                        cpu ? 8 : common::attribute(cudaDevAttrMultiProcessorCount);
                    per_sm = common::resident_blocks(read_random, threads);
                    sms = count * eighths / 8;
                    blocks = sms * per_sm;
                    grid =
                        4 * count * per_sm; // more than go elsewhere and end before all have come
                    p.done = std::uint64_t{blocks} * threads * rounds * loads;
                    p.expect_words(std::size_t{blocks} * threads, [=](std::size_t thread) {
                        std::uint32_t x = 0;
                        for (std::size_t i = 0; i < std::size_t{rounds} * loads; ++i) {
                            x ^= static_cast<std::uint32_t>(hash64(thread * rounds * loads + i) &
                                                            (n - 1));
                        }
                        return x;
                    });
                }};
            chapter.run(row, p, [&](cudaStream_t stream) {
                CHECK_CUDA(cudaMemsetAsync(drawn.data(), 0, drawn.bytes(), stream));
                read_random<<<grid, threads, 0, stream>>>(a.data(), p.c, n, sms, blocks, rounds,
                                                          drawn.data());
            });
        }
    }
    return chapter.finish();
}
