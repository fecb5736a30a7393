/// \file
/// An array of which every element has to become the sum of all up to it.
#pragma once

#include "common/device/check.hpp"
#include "common/device/memory.hpp"
#include "common/problem/element.hpp"
#include "common/problem/parallel.hpp"
#include "common/problem/problem.hpp"
#include "common/problem/write_elements.hpp"

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <numeric>
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
    Scan(const Setting& setting, std::size_t size)
        : Problem("scan"), n(size), key_(random_bits::input_key(setting.seed, 0))
    {}

    /// Element i of the input.
    [[nodiscard]] unsigned element(std::size_t i) const
    {
        return static_cast<unsigned>(random_bits::bits_at(key_, i) >> 32U);
    }

    void poison() override { output_.poison(); }
    [[nodiscard]] Verdict verify() override
    {
        return output_.verify_again([this](std::size_t first, std::size_t count, void* out) {
            unsigned sum = before_[first / grain];
            for (std::size_t i = first / grain * grain; i < first; ++i)
                sum += element(i);
            for (std::size_t k = 0; k < count; ++k)
                static_cast<unsigned*>(out)[k] = sum += element(first + k);
        });
    }
    [[nodiscard]] std::uint64_t bytes() const override { return 2 * n * sizeof(unsigned); }
    [[nodiscard]] std::size_t size() const override { return n; }

    const unsigned* a = nullptr;          ///< the input
    unsigned* c = nullptr;                ///< the output
    unsigned* sums = nullptr;             ///< room for a word of each tile
    unsigned long long* states = nullptr; ///< for one of 64 bits of each, and one more
    std::size_t n;                        ///< words

  private:
    static constexpr std::size_t grain = 1 << 16;

    void make_arrays() override
    {
        const std::size_t tiles = (n + least_tile - 1) / least_tile;
        input_ = Buffer<unsigned>(n);
        output_ = Array(Element::u32, n);
        sums_ = Buffer<unsigned>(tiles);
        states_ = Buffer<unsigned long long>(tiles + 1);
        a = input_.data();
        c = static_cast<unsigned*>(output_.data());
        sums = sums_.data();
        states = states_.data();
        if (holds_nothing())
            return;
        write_elements(input_.data(), n, [this](std::size_t i) { return element(i); });
        before_.assign(n / grain + 1, 0); // at first of each part by itself, a place further on
        parallel_for(n / grain * grain, grain, [this](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i)
                before_[i / grain + 1] += element(i);
        });
        std::partial_sum(before_.begin(), before_.end(), before_.begin());
    }

    std::uint64_t key_;
    std::vector<unsigned> before_; ///< sums of all elements before each `grain`
    Buffer<unsigned> input_;
    Buffer<unsigned> sums_;
    Buffer<unsigned long long> states_;
    Array output_;
};

} // namespace common
