/// \file
/// The array of chapter 31, of which some elements have to be kept.
#pragma once

#include "common/device/check.hpp"
#include "common/device/memory.hpp"
#include "common/problem/element.hpp"
#include "common/problem/parallel.hpp"
#include "common/problem/problem.hpp"
#include "common/problem/write_elements.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <vector>

/// Which words of a Selection are kept.
enum class KeepPattern
{
    random_half,
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
class Selection : public common::Problem
{
  public:
    /// A selection from so many words. Throws std::length_error for more than 2^31.
    Selection(const common::Setting& setting, std::size_t size, KeepPattern kept)
        : Problem("select"), n(size), key_(common::random_bits::input_key(setting.seed, 0)),
          kept_(kept)
    {
        if (n > dropped)
            throw std::length_error("a selection is from up to 2^31 words");
    }

    /// Which are kept.
    [[nodiscard]] KeepPattern kept() const { return kept_; }
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
        case KeepPattern::all:
            return true;
        case KeepPattern::none:
            return false;
        case KeepPattern::first_half:
            return i < n / 2;
        default:
            return common::random_bits::bits_at(key_, i) >> 63U == 0;
        }
    }
    /// Word i of the input.
    [[nodiscard]] unsigned element(std::size_t i) const
    {
        return (keeps(i) ? 0 : dropped) | static_cast<unsigned>(i);
    }
    /// How many are kept, once there is memory.
    [[nodiscard]] std::size_t found() const { return reference_.size(); }

    /// The variants from here on bring them in that order.
    void expect(KeptOrder order) { order_ = order; }

    void poison() override
    {
        output_.poison();
        number_.poison();
    }
    [[nodiscard]] common::Verdict verify() override
    {
        const auto number = static_cast<unsigned>(found());
        common::Verdict verdict = number_.verify(
            [&](std::size_t, std::size_t, void* out) { *static_cast<unsigned*>(out) = number; });
        verdict.output = "Of how many are kept: ";
        if (!verdict.ok)
            return verdict;
        return order_ == KeptOrder::any ? verify_any_order() : verify_order_of_input();
    }
    /// Each word read, and each that is kept written.
    [[nodiscard]] std::uint64_t bytes() const override
    {
        return (n + found() + 1) * sizeof(unsigned);
    }
    [[nodiscard]] std::size_t size() const override { return n; }

    const unsigned* a = nullptr; ///< the input
    unsigned* c = nullptr;       ///< the output, with space for n words
    unsigned* count = nullptr;   ///< how many are kept
    std::size_t n;               ///< words

  private:
    static constexpr unsigned dropped = 1U << 31U;
    static constexpr unsigned untouched = std::numeric_limits<unsigned>::max();

    void make_arrays() override
    {
        input_ = common::buffer_of<unsigned>(n, [this](std::size_t i) { return element(i); });
        output_ = common::Array(common::Element::u32, n);
        number_ = common::Array(common::Element::u32, 1);
        a = input_.data();
        c = static_cast<unsigned*>(output_.data());
        count = static_cast<unsigned*>(number_.data());
        if (common::skips_initialization())
            return;
        constexpr std::size_t part = 1 << 16;
        std::vector<std::size_t> begins(n / part + 2); // of the kept words of each part
        common::parallel_for(n, part, [&](std::size_t first, std::size_t last) {
            for (std::size_t i = first; i < last; ++i)
                begins[first / part + 1] += keeps(i);
        });
        std::partial_sum(begins.begin(), begins.end(), begins.begin());
        reference_.resize(begins.back());
        common::parallel_for(n, part, [&](std::size_t first, std::size_t last) {
            for (std::size_t i = first, at = begins[first / part]; i < last; ++i)
                if (keeps(i))
                    reference_[at++] = element(i);
        });
    }

    /// The kept words in their order, and nothing behind them.
    common::Verdict verify_order_of_input()
    {
        return output_.verify_again([this](std::size_t first, std::size_t wanted, void* out) {
            auto* words = static_cast<unsigned*>(out);
            const std::size_t there = std::clamp(found(), first, first + wanted) - first;
            std::copy_n(reference_.data() + first, there, words);
            std::fill(words + there, words + wanted, untouched);
        });
    }

    /// Each kept word is there once, among as many as there are, and nothing behind them.
    common::Verdict verify_any_order()
    {
        std::vector<std::atomic<std::uint32_t>> seen(n / 32 + 1);
        return output_.verify([&](std::size_t first, std::size_t wanted, void* out) {
            auto* words = static_cast<unsigned*>(out);
            const std::size_t there = std::clamp(found(), first, first + wanted) - first;
            CHECK_CUDA(
                cudaMemcpy(words, c + first, there * sizeof(unsigned), cudaMemcpyDeviceToHost));
            for (std::size_t k = 0; k < there; ++k) {
                const std::size_t i = words[k];
                const std::uint32_t bit = 1U << i % 32;
                if (i >= n || !keeps(i) || (seen[i / 32].fetch_or(bit) & bit) != 0)
                    words[k] = ~words[k]; // dropped, or there already: anything but this
            }
            std::fill(words + there, words + wanted, untouched);
        });
    }

    std::uint64_t key_;
    KeepPattern kept_;
    KeptOrder order_ = KeptOrder::of_input;
    std::vector<unsigned> reference_; ///< the words that are kept, in their order
    common::Buffer<unsigned> input_;
    common::Array output_;
    common::Array number_;
};
