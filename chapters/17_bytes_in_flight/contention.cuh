// The fifth lesson of chapter 17: what happens where lanes want the same thing, a bank of shared
// memory or a counter.
#pragma once

#include "words.hpp"

#include <vector>

//! [conflicts]
constexpr unsigned banks = 32;
constexpr unsigned rows_of_banks = 32;

// Lane l reads words `degree` * l + 32 * r, r = 0, 1, 2, ...: `degree` lanes want words of one
// bank, in every round.
__global__ void read_banks(const unsigned* a, unsigned* c, unsigned degree, unsigned rounds)
{
    __shared__ unsigned tile[banks * (rows_of_banks + 8)];
    for (unsigned i = threadIdx.x; i < banks * (rows_of_banks + 8); i += blockDim.x) {
        tile[i] = a[i];
    }
    __syncthreads();
    const unsigned first = threadIdx.x % 32 * degree;
    unsigned sum = 0;
    for (unsigned round = 0; round < rounds; ++round) {
        const unsigned* from = tile + (first + round * 8 * banks) % (banks * rows_of_banks);
        for (unsigned r = 0; r < 8; ++r) {
            sum += from[r * banks];
        }
    }
    c[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
//! [conflicts]

//! [atomics]
// Which of `counters` thread i adds to: one after the other, or as if by lot (the bits of i,
// mixed).
__host__ __device__ unsigned counter(unsigned i, unsigned counters, bool random)
{
    if (random) {
        i = (i ^ i >> 16) * 0x7feb352du;
        i = (i ^ i >> 15) * 0x846ca68bu;
        i ^= i >> 16;
    }
    return i % counters;
}

// Counters count in twos, so that nobody ever sees an odd number. The compiler does not know, and
// with `odd` it has to wait for the old value.
template<bool returns>
__global__ void count(unsigned* c, std::size_t n, unsigned counters, bool random, unsigned odd)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned* own = &c[counter(static_cast<unsigned>(i), counters, random)];
        const unsigned before = atomicAdd(own, 2);
        if (returns && before == odd) {
            *own = 0;
        }
    }
}
//! [atomics]

// What each lane reads, added up.
std::vector<unsigned> sums_of_lanes(const common::Words& p, unsigned degree, unsigned rounds)
{
    std::vector<unsigned> tile(banks * (rows_of_banks + 8));
    p.input(0, tile.size(), tile.data());
    std::vector<unsigned> sums(32);
    for (std::size_t lane = 0; lane < 32; ++lane) {
        for (std::size_t r = 0; r < std::size_t{rounds} * 8; ++r) {
            const std::size_t word = lane * degree + r / 8 * 8 * banks;
            sums[lane] += tile[word % (banks * rows_of_banks) + r % 8 * banks];
        }
    }
    return sums;
}

//! [contention_rows]
void run_banks(common::Chapter& chapter, std::size_t n)
{
    const unsigned block = 256;
    common::Words p(chapter, "read banks", n, banks * (rows_of_banks + 8));
    for (unsigned degree = 1; degree <= 32; degree *= 2) {
        unsigned grid = 0;
        unsigned rounds = 0;
        common::Work work;
        work.setup = [&] {
            const std::size_t most = common::resident_blocks(read_banks, block) *
                                     common::attribute(cudaDevAttrMultiProcessorCount);
            grid = static_cast<unsigned>(std::clamp<std::size_t>(n / (8 * block), 1, most));
            rounds = static_cast<unsigned>(std::max<std::size_t>(n / (8 * block) / grid, 1));
            p.expect_words(std::size_t{grid} * block, 0,
                           [sums = sums_of_lanes(p, degree, rounds)](std::size_t thread) {
                               return sums[thread % 32];
                           });
        };
        work.work = [&](cudaStream_t queue) {
            read_banks<<<grid, block, 0, queue>>>(p.a, p.c, degree, rounds);
        };
        const auto loads = [&] { return std::size_t{grid} * block * rounds * 8; };
        chapter.run({"banks", block, {{"degree", degree}, {"loads", loads}}}, p, work);
    }
}

template<bool returns>
void run_counters(common::Chapter& chapter, std::size_t n, unsigned counters, bool random)
{
    const unsigned block = 256;
    common::Words p(chapter, "count", n);
    p.background = 0;
    std::vector<unsigned> hits;
    common::Work work;
    work.setup = [&] {
        hits.assign(counters, 0);
        for (std::size_t i = 0; i < n; ++i) {
            ++hits[counter(static_cast<unsigned>(i), counters, random)];
        }
        p.expect_words(counters, 0, [&](std::size_t k) { return 2 * hits[k] * p.launches; });
    };
    work.work = [&](cudaStream_t queue) {
        ++p.launches;
        count<returns><<<common::blocks(n, block), block, 0, queue>>>(p.c, n, counters, random, 1);
    };
    chapter.run({returns ? "atomic_returns" : "atomic",
                 block,
                 {{"counters", counters}, {"order", random ? "random" : "ascending"}}},
                p, work);
}

void run_contention(common::Chapter& chapter)
{
    for (std::size_t n : chapter.sizes({std::size_t{1} << 32}, {1u << 16})) {
        run_banks(chapter, n);
    }
    for (std::size_t n : chapter.sizes({1u << 24}, {1u << 14})) {
        for (unsigned counters : {1u, 64u, 4096u, 1u << 20}) {
            for (bool random : {false, true}) {
                run_counters<false>(chapter, n, counters, random);
                run_counters<true>(chapter, n, counters, random);
            }
        }
    }
}
//! [contention_rows]
