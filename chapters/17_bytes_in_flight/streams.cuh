// The fourth lesson of chapter 17: what DRAM and L2 can do at most, for every mix of reads and
// writes, and for sectors that are written in part.
#pragma once

#include "expected.hpp"
#include "words.hpp"

#include <algorithm>
#include <string>

//! [stream]
__device__ uint4 operator^(uint4 x, uint4 y)
{
    return make_uint4(x.x ^ y.x, x.y ^ y.y, x.z ^ y.z, x.w ^ y.w);
}

__device__ uint4 in_all(std::size_t i)
{
    const auto word = static_cast<unsigned>(i);
    return make_uint4(word, word, word, word);
}

// `reads` arrays of n vectors lie one behind another in a, `writes` of them in c. A row of blocks
// is a pass over all of them, and every pass writes the same.
template<unsigned reads, unsigned writes>
__global__ void stream(const uint4* a, unsigned* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    uint4 x = in_all(reads == 0 ? i : 0);
    if (i < n) {
        for (unsigned k = 0; k != reads; ++k) {
            x = x ^ __ldcg(&a[k * n + i]); // from the L2: no pass finds in L1 what another left
        }
        for (unsigned k = 0; k != writes; ++k) {
            reinterpret_cast<uint4*>(c)[k * n + i] = x ^ in_all(k);
        }
    }
    if constexpr (writes == 0) { // a word for each warp
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
constexpr unsigned stores = 8; // of a thread

// Writes the first `words` words of each sector of eight. Lanes side by side write words that
// follow each other. A row of blocks is a pass.
template<unsigned words>
__global__ void write_sectors(unsigned* c, std::size_t n)
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

//! [stream_rows]
constexpr unsigned stream_block = 256;

template<unsigned reads, unsigned writes>
void run_stream(common::Chapter& chapter, const char* name, common::Words& p, unsigned passes)
{
    const std::size_t n = std::max<std::size_t>(p.n / 4, 1); // vectors of an array
    p.moved = std::uint64_t{passes} * (reads + writes) * n * sizeof(uint4);
    if (writes == 0) {
        p.expect((n + 31) / 32, common::words_of_warps(p, reads, n * 4));
    } else {
        p.expect(writes * n * 4, common::words_written(p, reads, n * 4));
    }
    const std::string mix = std::to_string(reads) + ":" + std::to_string(writes);
    chapter.run({name, stream_block, {{"mix", mix}}}, p, [&](cudaStream_t queue) {
        const dim3 grid(common::blocks(n, stream_block), passes);
        const uint4* a = reinterpret_cast<const uint4*>(p.a);
        stream<reads, writes><<<grid, stream_block, 0, queue>>>(a, p.c, n);
    });
}

template<unsigned words>
void run_sectors(common::Chapter& chapter, const char* name, common::Words& p, unsigned passes)
{
    const std::size_t sectors = std::max<std::size_t>(p.n / 8, 1);
    p.moved = passes * sectors * words * sizeof(unsigned);
    p.expect_words(8 * sectors, [](std::size_t i) {
        return i % 8 < words ? static_cast<unsigned>(i) : 0xffffffff; // the poison
    });
    chapter.run({name, stream_block, {{"stored", words * sizeof(unsigned)}}}, p,
                [&](cudaStream_t queue) {
                    const std::size_t of_a_block = stream_block * stores;
                    const dim3 grid(common::blocks(sectors * words, of_a_block), passes);
                    write_sectors<words><<<grid, stream_block, 0, queue>>>(p.c, 8 * sectors);
                });
}

// What stays in the L2 is passed over until a launch has moved about as much as one below.
unsigned passes_over(std::size_t n)
{
    return common::backend() == common::Backend::cpu || n < 1u << 20 ? 2 : 64;
}

void run_streams(common::Chapter& chapter)
{
    const auto words = [](std::size_t n) { return 4 * std::max<std::size_t>(n, 4); };
    for (std::size_t n : chapter.sizes({1u << 28}, {1u << 14}, 8 * sizeof(unsigned))) {
        common::Words p(chapter, "stream", n, words(n));
        run_stream<4, 0>(chapter, "stream", p, 1);
        run_stream<3, 1>(chapter, "stream", p, 1);
        run_stream<2, 1>(chapter, "stream", p, 1);
        run_stream<2, 2>(chapter, "stream", p, 1);
        run_stream<1, 1>(chapter, "stream", p, 1);
        run_stream<1, 2>(chapter, "stream", p, 1);
        run_stream<1, 3>(chapter, "stream", p, 1);
        run_stream<0, 4>(chapter, "stream", p, 1);
    }
    // Two or three arrays fit the L2. A pass has more blocks than there is room for at a time, so
    // that nothing is wanted twice at once, which would be one transfer.
    for (std::size_t n : chapter.sizes({1u << 21}, {1u << 14}, 4 * sizeof(unsigned))) {
        common::Words p(chapter, "stream in L2", n, words(n));
        run_stream<2, 0>(chapter, "stream_l2", p, passes_over(n));
        run_stream<2, 1>(chapter, "stream_l2", p, passes_over(n));
        run_stream<1, 1>(chapter, "stream_l2", p, passes_over(n));
        run_stream<1, 2>(chapter, "stream_l2", p, passes_over(n));
        run_stream<0, 2>(chapter, "stream_l2", p, passes_over(n));
    }
    for (std::size_t n : chapter.sizes({1u << 28}, {1u << 14}, sizeof(unsigned))) {
        common::Words p(chapter, "write sectors", n);
        run_sectors<1>(chapter, "sectors", p, 1);
        run_sectors<2>(chapter, "sectors", p, 1);
        run_sectors<4>(chapter, "sectors", p, 1);
        run_sectors<8>(chapter, "sectors", p, 1);
    }
    for (std::size_t n : chapter.sizes({1u << 22}, {1u << 14}, sizeof(unsigned))) {
        common::Words p(chapter, "write sectors in L2", n);
        run_sectors<1>(chapter, "sectors_l2", p, passes_over(n));
        run_sectors<2>(chapter, "sectors_l2", p, passes_over(n));
        run_sectors<4>(chapter, "sectors_l2", p, passes_over(n));
        run_sectors<8>(chapter, "sectors_l2", p, passes_over(n));
    }
}
//! [stream_rows]
