/// \file
/// An array of which every element has to become the sum of all up to it.
#pragma once

#include "common/device/memory.hpp"
#include "common/problem/element.hpp"
#include "common/problem/problem.hpp"

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace common {

/// c[i] = a[0] + ... + a[i], modulo 2^32, of n words: an inclusive scan.
class Scan : public Problem
{
  public:
    /// The smallest tile of a variant, in words: of the scratch memory there is enough for tiles of
    /// so many.
    static constexpr std::size_t least_tile = 256;

    /// A scan of so many words.
    Scan(const Setting& setting, std::size_t size);

    /// Element i of the input.
    [[nodiscard]] unsigned element(std::size_t i) const
    {
        return static_cast<unsigned>(random_bits::bits_at(key_, i) >> 32U);
    }

    void poison() override { output_.poison(); }
    [[nodiscard]] Verdict verify() override;
    [[nodiscard]] std::uint64_t bytes() const override { return 2 * n * sizeof(unsigned); }
    [[nodiscard]] std::size_t size() const override { return n; }

    const unsigned* a = nullptr;          ///< the input
    unsigned* c = nullptr;                ///< the output
    unsigned* sums = nullptr;             ///< room for a word of each tile
    unsigned long long* states = nullptr; ///< for one of 64 bits of each, and one more
    std::size_t n;                        ///< words

  private:
    static constexpr std::size_t grain = 1 << 16;

    void make_arrays() override;

    std::uint64_t key_;
    std::vector<unsigned> before_; ///< sums of all elements before each `grain`
    Buffer<unsigned> input_;
    Buffer<unsigned> sums_;
    Buffer<unsigned long long> states_;
    Array output_;
};

} // namespace common
