/// \file
/// An array of values below 256, and how often each of them occurs.
#pragma once

#include "common/device/check.hpp"
#include "common/device/memory.hpp"
#include "common/problem/element.hpp"
#include "common/problem/parallel.hpp"
#include "common/problem/problem.hpp"

#include <cuda_runtime.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <string>

namespace common {

/// How the values of a Histogram are spread.
enum class Spread
{
    uniform, ///< all of them as often, as if by lot
    skewed,  ///< half of the elements have one value, as a picture's background has
    equal    ///< all elements have that value
};

/// The word for a spread in a row's column.
[[nodiscard]] constexpr const char* name_of(Spread spread)
{
    return spread == Spread::uniform ? "uniform" : spread == Spread::skewed ? "skewed" : "equal";
}

/// c[x] = how many of the n elements of `a` have the value x in their upper 8 bits, for all x below
/// 256. T is std::uint8_t, which has no others, or unsigned. Compared to the bit; 2^32 elements of
/// a value wrap around.
template<class T>
class Histogram : public Problem
{
  public:
    static constexpr std::size_t bins = 256; ///< elements of `c`
    static constexpr unsigned frequent = 32; ///< the value that skewed elements have

    /// A problem of so many elements.
    Histogram(const Setting& setting, std::size_t size, Spread spread)
        : Problem("histogram"), n(size), key_(random_bits::input_key(setting.seed, 0)),
          spread_(spread)
    {}

    /// How the values are spread.
    [[nodiscard]] Spread spread() const { return spread_; }
    /// Element i.
    [[nodiscard]] T element(std::size_t i) const
    {
        constexpr unsigned below = 8 * sizeof(T) - 8; // bits
        if (spread_ == Spread::equal)
            return T{frequent << below};
        const std::uint64_t lot = random_bits::mix(key_ + i * random_bits::golden_gamma);
        const auto x = static_cast<T>(lot >> 32U);
        if (spread_ == Spread::uniform || x >> below >= bins / 2)
            return x;
        return static_cast<T>(frequent << below | (x & ((1U << below) - 1)));
    }

    void poison() override { output_.poison(); }
    [[nodiscard]] Verdict verify() override
    {
        return output_.verify([this](std::size_t first, std::size_t count, void* out) {
            std::memcpy(out, counts_.data() + first, count * sizeof counts_[0]);
        });
    }
    [[nodiscard]] std::uint64_t bytes() const override
    {
        return n * sizeof(T) + bins * sizeof(unsigned);
    }
    [[nodiscard]] std::size_t size() const override { return n; }

    const T* a = nullptr;  ///< the elements
    unsigned* c = nullptr; ///< the counters, one a value
    std::size_t n;         ///< elements

  private:
    static constexpr std::size_t grain = 1 << 16;
    using Counters = std::array<unsigned, bins>;

    void make_arrays() override
    {
        input_ = Buffer<T>(n);
        output_ = Array(element_of<unsigned>(), bins);
        a = input_.data();
        c = static_cast<unsigned*>(output_.data());
        if (holds_nothing())
            return;
        const Buffer<T> staging(std::min(n, std::size_t{1} << 25U), Space::pinned);
        for (std::size_t first = 0; first < n; first += staging.size()) {
            const std::size_t count = std::min(staging.size(), n - first);
            write(first, count, staging.data());
            CHECK_CUDA(cudaMemcpy(input_.data() + first, staging.data(), count * sizeof(T),
                                  cudaMemcpyHostToDevice));
        }
    }

    /// Writes elements `first` to `first + count` to `out`, and counts them.
    void write(std::size_t first, std::size_t count, T* out)
    {
        std::mutex mutex;
        parallel_for(count, grain, [&](std::size_t begin, std::size_t end) {
            Counters counts{};
            for (std::size_t k = begin; k < end; ++k) {
                out[k] = element(first + k);
                ++counts[out[k] >> (8 * sizeof(T) - 8)];
            }
            const std::lock_guard lock(mutex);
            for (std::size_t x = 0; x < bins; ++x)
                counts_[x] += counts[x];
        });
    }

    std::uint64_t key_;
    Spread spread_;
    Counters counts_{}; ///< what is expected
    Buffer<T> input_;
    Array output_;
};

} // namespace common
