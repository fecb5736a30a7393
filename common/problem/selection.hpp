/// \file
/// An array of which some elements have to be kept.
#pragma once

#include "common/device/memory.hpp"
#include "common/problem/element.hpp"
#include "common/problem/problem.hpp"

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace common {

/// Which words of a Selection are kept.
enum class Kept
{
    half, ///< as if by lot
    all,
    none,
    first_half ///< those before the middle, as in a sorted array
};

/// In which order they have to come.
enum class KeptOrder
{
    of_input,
    any
};

/// c has those of n words of `a` whose highest bit is 0, and behind them stays as it is; count[0]
/// is how many they are. A word's other bits are its index, so that in any order it is known which
/// ones have come: each once.
class Selection : public Problem
{
  public:
    /// The smallest tile of a variant, in words: of the scratch memory there is enough for tiles of
    /// so many.
    static constexpr std::size_t least_tile = 256;

    /// A selection from so many words. Throws std::length_error for more than 2^31.
    Selection(const Setting& setting, std::size_t size, Kept kept);

    /// Which are kept.
    [[nodiscard]] Kept kept() const { return kept_; }
    /// The same, for a table.
    [[nodiscard]] const char* kept_name() const
    {
        constexpr const char* names[] = {"half", "all", "none", "first half"};
        return names[static_cast<int>(kept_)];
    }
    /// Whether word i is kept.
    [[nodiscard]] bool keeps(std::size_t i) const
    {
        switch (kept_) {
        case Kept::all:
            return true;
        case Kept::none:
            return false;
        case Kept::first_half:
            return i < n / 2;
        default:
            return random_bits::bits_at(key_, i) >> 63U == 0;
        }
    }
    /// Word i of the input.
    [[nodiscard]] unsigned element(std::size_t i) const
    {
        return (keeps(i) ? 0 : dropped) | static_cast<unsigned>(i);
    }
    /// How many are kept, once there is memory.
    [[nodiscard]] std::size_t found() const { return before_.empty() ? 0 : before_.back(); }

    /// The variants from here on bring them in that order.
    void expect(KeptOrder order) { order_ = order; }

    void poison() override
    {
        output_.poison();
        number_.poison();
    }
    [[nodiscard]] Verdict verify() override;
    /// Each word read, and each that is kept written.
    [[nodiscard]] std::uint64_t bytes() const override
    {
        return (n + found() + 1) * sizeof(unsigned);
    }
    [[nodiscard]] std::size_t size() const override { return n; }

    const unsigned* a = nullptr;          ///< the input
    unsigned* c = nullptr;                ///< the output, with room for n words
    unsigned* count = nullptr;            ///< how many are kept
    unsigned* sums = nullptr;             ///< room for a word of each tile
    unsigned long long* states = nullptr; ///< for one of 64 bits of each, and one more
    std::size_t n;                        ///< words

  private:
    static constexpr std::size_t grain = 1 << 16;
    static constexpr unsigned dropped = 1U << 31U;
    static constexpr unsigned untouched = std::numeric_limits<unsigned>::max();

    void make_arrays() override;

    /// The kept words from number `first` on, `wanted` of them; behind the last what nobody
    /// touches.
    void kept_words(std::size_t first, std::size_t wanted, unsigned* out) const;

    /// Each kept word is there once, among as many as there are, and nothing behind them.
    Verdict verify_any_order();

    std::uint64_t key_;
    Kept kept_;
    KeptOrder order_ = KeptOrder::of_input;
    std::vector<std::size_t> before_; ///< how many are kept before each `grain`
    Buffer<unsigned> input_;
    Buffer<unsigned> sums_;
    Buffer<unsigned long long> states_;
    Array output_;
    Array number_;
};

} // namespace common
