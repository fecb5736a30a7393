#include "common/problem/words_expected.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

namespace common {

Expected words_read(const Words& p, unsigned grid, unsigned threads, unsigned loads, unsigned width)
{
    return [=, &p](std::size_t first, std::size_t count, void* out) {
        const std::size_t bytes = p.n * 4 / width * width; // in whole units
        const std::size_t tile = std::size_t{threads} * loads * width;
        std::vector<char> read(tile);
        std::vector<std::uint32_t> x(threads);
        for (std::size_t block = first / threads; block * threads < first + count; ++block) {
            std::fill(x.begin(), x.end(), 0);
            for (std::size_t at = block * tile; at < bytes; at += grid * tile) {
                const std::size_t part = std::min(tile, bytes - at);
                p.input(at / 4, (part + 3) / 4, reinterpret_cast<std::uint32_t*>(read.data()));
                const std::size_t piece = std::min(width, 4u);
                for (std::size_t k = 0; k < part; k += piece) {
                    std::uint32_t bits = 0;
                    std::memcpy(&bits, &read[k], piece);
                    x[k / width % threads] ^= bits;
                }
            }
            for (std::size_t k = std::max(first, block * threads);
                 k < std::min(first + count, (block + 1) * threads); ++k)
                static_cast<std::uint32_t*>(out)[k - first] = x[k % threads];
        }
    };
}

std::vector<std::uint32_t> words_mixed(const Words& p, unsigned reads, std::size_t n,
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

Expected words_written(const Words& p, unsigned reads, std::size_t n)
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

Expected words_of_warps(const Words& p, unsigned reads, std::size_t n)
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

} // namespace common
