/// \file
/// A random permutation that needs no memory.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

/// A random permutation of the numbers below `n` within each window of `window` numbers; with a
/// window of 1 it is the identity. A Feistel network over the number's bits (Luby and Rackoff,
/// 1988) computes the permutation of any number, and its inverse, without an array.
class Shuffle
{
  public:
    /// `window` is at least 1; the last window is shorter if `window` does not divide `n`.
    Shuffle(std::size_t n, std::uint64_t window)
        : n_(n), window_(static_cast<std::size_t>(std::min<std::uint64_t>(window, n))),
          bits_(bits_of(window_))
    {}

    /// The number at position i, below n.
    [[nodiscard]] __host__ __device__ std::size_t operator()(std::size_t i) const
    {
        const Window w = window_of(i);
        std::size_t x = i - w.first;
        do { // what falls outside of a window that is no power of four goes on
            std::size_t left = x >> w.bits;
            std::size_t right = x & mask(w.bits);
            for (unsigned round = 0; round < rounds; ++round) {
                const std::size_t next = left ^ (hash32(right, round, w) & mask(w.bits));
                left = right;
                right = next;
            }
            x = left << w.bits | right;
        } while (x >= w.count);
        return w.first + x;
    }

    /// Numbers that change places among themselves.
    [[nodiscard]] std::size_t window() const { return window_; }

    /// The place of the number i: inverse((*this)(i)) == i.
    [[nodiscard]] std::size_t inverse(std::size_t i) const
    {
        const Window w = window_of(i);
        std::size_t x = i - w.first;
        do {
            std::size_t left = x >> w.bits;
            std::size_t right = x & mask(w.bits);
            for (unsigned round = rounds; round-- > 0;) {
                const std::size_t before = right ^ (hash32(left, round, w) & mask(w.bits));
                right = left;
                left = before;
            }
            x = left << w.bits | right;
        } while (x >= w.count);
        return w.first + x;
    }

  private:
    struct Window
    {
        std::size_t first;
        std::size_t count;
        unsigned bits; // of half a number
    };
    static constexpr unsigned rounds = 4;

    static __host__ __device__ std::size_t mask(unsigned bits)
    {
        return (std::size_t{1} << bits) - 1;
    }
    [[nodiscard]] __host__ __device__ Window window_of(std::size_t i) const
    {
        const std::size_t first = i / window_ * window_;
        const std::size_t left = n_ - first;
        return left < window_ ? Window{first, left, bits_of(left)} : Window{first, window_, bits_};
    }
    /// Half of the bits that `count` numbers need, rounded up.
    static __host__ __device__ unsigned bits_of(std::size_t count)
    {
        unsigned bits = 0;
        while (std::size_t{1} << (2 * bits) < count)
            ++bits;
        return bits;
    }
    /// Hashes a number to 32 bits by the last step of MurmurHash3 (Appleby).
    static __host__ __device__ std::uint32_t hash32(std::size_t number, unsigned round,
                                                    const Window& w)
    {
        auto x = static_cast<std::uint32_t>(number + w.first * rounds) * rounds + round + 1;
        x = (x ^ x >> 16U) * 0x85ebca6b;
        x = (x ^ x >> 13U) * 0xc2b2ae35;
        return x ^ x >> 16U;
    }

    std::size_t n_;
    std::size_t window_;
    unsigned bits_; // of half a number, in every window but a shorter last one
};
