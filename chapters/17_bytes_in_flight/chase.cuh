// The third lesson of chapter 17: how long a load takes. Each address is what the load before it
// has brought, so nothing overlaps.
#pragma once

#include "words.hpp"

#include <bit>

//! [lines]
// A cache line that says which comes next.
struct alignas(128) Line
{
    const Line* next;
};

// Where the walk goes from line i of `lines`, a power of two: to the next one, or to a
// pseudo-random one. Either way it comes to each line once before it returns (Hull and Dobell,
// 1962).
__host__ __device__ unsigned next_line(unsigned i, unsigned lines, bool random)
{
    return ((random ? 1664525u * i : i) + 1) % lines;
}

__global__ void link(Line* table, unsigned lines, bool random)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < lines) {
        table[i].next = &table[next_line(i, lines, random)];
    }
}
//! [lines]

//! [chase]
// First the block reads the `touched` first lines, so that the caches hold them; then one thread
// walks. The output: where it arrived, and what each thread has touched.
__global__ void chase(const Line* table, unsigned* c, unsigned touched, unsigned hops)
{
    unsigned x = 0;
    for (unsigned i = threadIdx.x; i < touched; i += blockDim.x) {
        x ^= static_cast<unsigned>(table[i].next - table);
    }
    c[1 + threadIdx.x] = x;
    __syncthreads();
    if (threadIdx.x == 0) {
        const Line* line = table;
        for (unsigned hop = 0; hop < hops; ++hop) {
            line = line->next;
        }
        c[0] = static_cast<unsigned>(line - table);
    }
}
//! [chase]

//! [chase_shared]
constexpr unsigned slots = 4096;

// The same walk through words of shared memory.
__global__ void chase_shared(unsigned* c, unsigned hops)
{
    __shared__ unsigned table[slots];
    for (unsigned i = threadIdx.x; i < slots; i += blockDim.x) {
        table[i] = next_line(i, slots, true);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned i = 0;
        for (unsigned hop = 0; hop < hops; ++hop) {
            i = table[i];
        }
        c[0] = i;
    }
}
//! [chase_shared]

//! [chase_rows]
unsigned arrival(unsigned lines, bool random, unsigned hops)
{
    unsigned i = 0;
    for (unsigned hop = 0; hop < hops; ++hop) {
        i = next_line(i, lines, random);
    }
    return i;
}

void run_chase(common::Chapter& chapter, std::size_t n, bool random)
{
    const unsigned block = 1024;
    const auto lines =
        static_cast<unsigned>(std::bit_floor(std::max(n * sizeof(unsigned) / sizeof(Line), 1ul)));
    common::Words p(chapter, "chase pointers", n);
    const bool cpu = common::backend() == common::Backend::cpu;
    unsigned touched = 0;
    unsigned hops = 0;
    common::Buffer<Line> table;
    common::Work work;
    work.setup = [&] {
        table = common::Buffer<Line>(lines);
        link<<<common::blocks(lines, block), block>>>(table.data(), lines, random);
        touched = table.bytes() <= common::attribute(cudaDevAttrL2CacheSize) ? lines : 0;
        p.expect_words(1 + block, 0, [=](std::size_t k) {
            unsigned x = k == 0 ? arrival(lines, random, hops) : 0;
            for (std::size_t i = k - 1; k > 0 && i < touched; i += block) {
                x ^= next_line(static_cast<unsigned>(i), lines, random);
            }
            return x;
        });
    };
    work.work = [&](cudaStream_t stream) {
        chase<<<1, block, 0, stream>>>(table.data(), p.c, touched, hops);
    };
    // Long enough that reading the lines before takes no time beside it.
    const bool in_cache = n * sizeof(unsigned) <= 64u << 20;
    hops = cpu ? 1u << 10 : in_cache ? 1u << 17 : 1u << 15;
    chapter.run({"chase",
                 block,
                 {{"table", lines * sizeof(Line)},
                  {"order", random ? "random" : "ascending"},
                  {"hops", hops}}},
                p, work);
}

void run_chases(common::Chapter& chapter)
{
    // L1, L1, L2, L2, perhaps L2, DRAM, DRAM
    const std::initializer_list<std::size_t> gpu = {1u << 12, 1u << 15, 1u << 18, 1u << 21,
                                                    1u << 23, 1u << 25, 1u << 28};
    for (std::size_t n : chapter.sizes(gpu, {1u << 12, 1u << 15}, sizeof(unsigned))) {
        run_chase(chapter, n, true);
        if (n >= 1u << 25) {
            run_chase(chapter, n, false);
        }
    }
    const unsigned hops = common::backend() == common::Backend::cpu ? 1u << 10 : 1u << 17;
    common::Words p(chapter, "chase pointers", slots);
    p.expect_words(1, 0, [=](std::size_t) { return arrival(slots, true, hops); });
    chapter.run({"chase_shared",
                 1024,
                 {{"table", slots * sizeof(unsigned)}, {"order", "random"}, {"hops", hops}}},
                p, [&](cudaStream_t stream) { chase_shared<<<1, 1024, 0, stream>>>(p.c, hops); });
}
//! [chase_rows]
