// What kernels that only read, or read and write, have to make of their words: computed another way
// than by them.
#pragma once

#include "common/problem/words.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

/// A word for each thread of `grid` blocks: the bits of what it reads, `width` bytes at a time, in
/// tiles of `block_size` x `loads`.
inline common::Expected words_read(const common::Words& p, unsigned grid, unsigned block_size,
                                   unsigned loads, unsigned width)
{
    return [=, &p](std::size_t first, std::size_t count, void* out) {
        const std::size_t bytes = p.n * 4 / width * width; // in whole units
        const std::size_t tile = std::size_t{block_size} * loads * width;
        std::vector<char> read(tile);
        std::vector<std::uint32_t> x(block_size);
        for (std::size_t block = first / block_size; block * block_size < first + count; ++block) {
            std::fill(x.begin(), x.end(), 0);
            for (std::size_t at = block * tile; at < bytes; at += grid * tile) {
                const std::size_t part = std::min(tile, bytes - at);
                p.input(at / 4, (part + 3) / 4, reinterpret_cast<std::uint32_t*>(read.data()));
                const std::size_t piece = std::min(width, 4u);
                for (std::size_t k = 0; k < part; k += piece) {
                    std::uint32_t bits = 0;
                    std::memcpy(&bits, &read[k], piece);
                    x[k / width % block_size] ^= bits;
                }
            }
            for (std::size_t k = std::max(first, block * block_size);
                 k < std::min(first + count, (block + 1) * block_size); ++k)
                static_cast<std::uint32_t*>(out)[k - first] = x[k % block_size];
        }
    };
}

/// The bits of `reads` arrays of n words, one behind another in the input, word by word: `count` of
/// them from `first` on. Where nothing is read, the number of the four that a word is one of.
inline std::vector<std::uint32_t> words_mixed(const common::Words& p, unsigned reads, std::size_t n,
                                              std::size_t first, std::size_t count)
{
    std::vector<std::uint32_t> x(count);
    std::vector<std::uint32_t> read(count);
    for (unsigned k = 0; k != reads; ++k) {
        p.input(k * n + first, count, read.data());
        for (std::size_t i = 0; i < count; ++i)
            x[i] ^= read[i];
    }
    for (std::size_t i = 0; reads == 0 && i < count; ++i)
        x[i] = static_cast<std::uint32_t>((first + i) / 4);
    return x;
}

/// Arrays of n words, one behind another, each the mix of what is read and the array's number.
inline common::Expected words_written(const common::Words& p, unsigned reads, std::size_t n)
{
    return [=, &p](std::size_t first, std::size_t count, void* out) {
        for (std::size_t k = 0; k < count;) {
            const std::size_t array = (first + k) / n;
            const std::size_t start = (first + k) % n;
            const std::size_t part = std::min(count - k, n - start);
            for (const std::uint32_t x : words_mixed(p, reads, n, start, part))
                static_cast<std::uint32_t*>(out)[k++] = x ^ static_cast<std::uint32_t>(array);
        }
    };
}

/// A word for each warp: the bits of the mix of what its lanes read, four words each.
inline common::Expected words_of_warps(const common::Words& p, unsigned reads, std::size_t n)
{
    return [=, &p](std::size_t first, std::size_t count, void* out) {
        const std::size_t warp = 32 * 4;
        for (std::size_t k = 0; k < count; ++k) {
            const std::size_t start = (first + k) * warp;
            std::uint32_t bits = 0;
            for (const std::uint32_t x : words_mixed(p, reads, n, start, std::min(warp, n - start)))
                bits ^= x;
            static_cast<std::uint32_t*>(out)[k] = bits;
        }
    };
}
