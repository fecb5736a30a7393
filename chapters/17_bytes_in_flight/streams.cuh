// The fourth lesson of chapter 17: what DRAM and L2 can do at most, for every mix of reads and
// writes, and for sectors that are written in part.
#pragma once

#include "words.hpp"

#include <vector>

//! [stream]
__device__ uint4 operator^(uint4 x, uint4 y)
{
    return make_uint4(x.x ^ y.x, x.y ^ y.y, x.z ^ y.z, x.w ^ y.w);
}

// `reads` arrays of n vectors one behind another in a, `writes` of them in c. A row of blocks is
// one pass over all of them; every pass writes the same.
template<unsigned reads, unsigned writes>
__global__ void stream(const uint4* a, unsigned* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const auto number = static_cast<unsigned>(i);
    uint4 x = reads == 0 ? make_uint4(number, number, number, number) : make_uint4(0, 0, 0, 0);
    if (i < n) {
        for (unsigned k = 0; k != reads; ++k) {
            x = x ^ __ldcg(&a[k * n + i]);
        }
        for (unsigned k = 0; k != writes; ++k) {
            reinterpret_cast<uint4*>(c)[k * n + i] = x ^ make_uint4(k, k, k, k);
        }
    }
    if constexpr (writes == 0) { // a word a warp
        unsigned word = x.x ^ x.y ^ x.z ^ x.w;
        for (int lanes = 16; lanes > 0; lanes /= 2) {
            word ^= __shfl_xor_sync(0xffffffff, word, lanes);
        }
        if (threadIdx.x % 32 == 0 && i < n) {
            c[i / 32] = word;
        }
    }
}
//! [stream]

//! [sectors]
// Writes the first `words` words of each sector of eight; lanes side by side write words side by
// side. n is a multiple of eight, and a row of blocks is a pass.
constexpr unsigned stores = 8; // a thread

__global__ void write_sectors(unsigned* c, std::size_t n, unsigned words)
{
    const std::size_t first = std::size_t{blockIdx.x} * blockDim.x * stores + threadIdx.x;
    for (unsigned k = 0; k < stores; ++k) {
        const std::size_t i = first + std::size_t{k} * blockDim.x;
        const std::size_t at = i / words * 8 + i % words;
        if (at < n) {
            c[at] = static_cast<unsigned>(at);
        }
    }
}
//! [sectors]

// What the warps, or the arrays, of a stream hold. In `n` vectors each.
inline common::Expected words_streamed(const common::Words& p, unsigned reads, unsigned writes,
                                       std::size_t n)
{
    const auto mixed = [&p, reads, n](std::size_t first, std::size_t count) {
        std::vector<unsigned> x(count);
        std::vector<unsigned> read(count);
        for (unsigned k = 0; k != reads; ++k) {
            p.input(k * n * 4 + first, count, read.data());
            for (std::size_t i = 0; i < count; ++i) {
                x[i] ^= read[i];
            }
        }
        for (std::size_t i = 0; reads == 0 && i < count; ++i) {
            x[i] = static_cast<unsigned>((first + i) / 4);
        }
        return x;
    };
    return [=](std::size_t first, std::size_t count, void* out) {
        auto* words = static_cast<unsigned*>(out);
        const std::size_t array = n * 4;
        constexpr std::size_t warp = 32 * 4; // words of one
        while (count > 0) {
            const std::size_t start = first % array;
            const std::size_t part = std::min(count, array - start);
            if (writes > 0) {
                const std::vector<unsigned> x = mixed(start, part);
                for (std::size_t i = 0; i < part; ++i) {
                    words[i] = x[i] ^ static_cast<unsigned>(first / array);
                }
            } else {
                for (std::size_t i = 0; i < part; ++i) {
                    const std::size_t from = (first + i) * warp;
                    words[i] = 0;
                    for (unsigned x : mixed(from, std::min(warp, array - from))) {
                        words[i] ^= x;
                    }
                }
            }
            first += part;
            words += part;
            count -= part;
        }
    };
}

//! [stream_rows]
template<unsigned reads, unsigned writes>
void run_stream(common::Chapter& chapter, common::Words& p, unsigned passes)
{
    const unsigned block = 256;
    const std::size_t n = std::max<std::size_t>(p.n / 4, 1); // vectors of an array
    p.expect(writes == 0 ? (n + 31) / 32 : writes * n * 4,
             std::uint64_t{passes} * (reads + writes) * n * sizeof(uint4),
             words_streamed(p, reads, writes, n));
    chapter.run({"stream", block, {{"reads", reads}, {"writes", writes}, {"passes", passes}}}, p,
                [&](cudaStream_t queue) {
                    stream<reads, writes>
                        <<<dim3(common::blocks(n, block), passes), block, 0, queue>>>(
                            reinterpret_cast<const uint4*>(p.a), p.c, n);
                });
}

void run_sectors(common::Chapter& chapter, common::Words& p, unsigned passes)
{
    const unsigned block = 256;
    const std::size_t sectors = std::max<std::size_t>(p.n / 8, 1);
    for (unsigned words : {1u, 2u, 4u, 8u}) {
        p.expect_words(8 * sectors, std::uint64_t{passes} * sectors * words * sizeof(unsigned),
                       [words](std::size_t i) {
                           return i % 8 < words ? static_cast<unsigned>(i) : 0xffffffff;
                       });
        chapter.run({"sectors", block, {{"stored", words * sizeof(unsigned)}, {"passes", passes}}},
                    p, [&](cudaStream_t queue) {
                        const dim3 grid(common::blocks(sectors * words, block * stores), passes);
                        write_sectors<<<grid, block, 0, queue>>>(p.c, 8 * sectors, words);
                    });
    }
}

// Arrays that stay in the L2 are passed over until a launch takes as long as one of large arrays.
unsigned passes_over(std::size_t n)
{
    return common::backend() == common::Backend::cpu
               ? 2
               : static_cast<unsigned>(std::clamp<std::size_t>((1u << 26) / n, 1, 64));
}

void run_streams(common::Chapter& chapter)
{
    const std::size_t words = 8; // four arrays in and four out
    for (std::size_t n :
         chapter.sizes({1u << 20, 1u << 28}, {1u << 14}, words * sizeof(unsigned))) {
        const unsigned passes = passes_over(n);
        common::Words p(chapter, "stream", n, 4 * std::max<std::size_t>(n, 4));
        run_stream<4, 0>(chapter, p, passes);
        run_stream<3, 1>(chapter, p, passes);
        run_stream<2, 1>(chapter, p, passes);
        run_stream<2, 2>(chapter, p, passes);
        run_stream<1, 1>(chapter, p, passes);
        run_stream<1, 2>(chapter, p, passes);
        run_stream<1, 3>(chapter, p, passes);
        run_stream<0, 4>(chapter, p, passes);
    }
    for (std::size_t n : chapter.sizes({1u << 22, 1u << 28}, {1u << 14}, sizeof(unsigned))) {
        common::Words p(chapter, "write sectors", n);
        run_sectors(chapter, p, passes_over(n));
    }
}
//! [stream_rows]
