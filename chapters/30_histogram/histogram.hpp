/// \file
/// The array of chapter 30, and how often each value occurs in it.
#pragma once

#include "common/device/check.hpp"
#include "common/device/memory.hpp"
#include "common/problem/element.hpp"
#include "common/problem/parallel.hpp"
#include "common/problem/problem.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <string>
#include <vector>

/// How the values of a Histogram are spread.
enum class Spread
{
    uniform, ///< all of them as often, at random
    skewed,  ///< half of the elements have one value, as a picture's background has
    equal    ///< all elements have that value
};

/// The word for a spread in a row's column.
[[nodiscard]] constexpr const char* name_of(Spread spread)
{
    return spread == Spread::uniform ? "uniform" : spread == Spread::skewed ? "skewed" : "equal";
}

/// c[x] = how many of the n elements of `a` have the value x in their upper `bits` bits, for all x
/// below 2^bits. T is std::uint8_t, which has no more than 8, or unsigned. Compared to the bit;
/// 2^32 elements of a value wrap around.
template<class T>
class Histogram : public common::Problem
{
  public:
    static constexpr unsigned frequent = 32; ///< the value that skewed elements have

    /// A problem of so many elements, whose upper `upper_bits` are counted: 6 to 8 * sizeof(T).
    Histogram(const common::Setting& setting, std::size_t size, Spread spread,
              unsigned upper_bits = 8)
        : Problem("histogram"), n(size), bits(upper_bits),
          key_(common::random_bits::input_key(setting.seed, 0)), spread_(spread), counts_(bins)
    {}

    /// How the values are spread.
    [[nodiscard]] Spread spread() const { return spread_; }
    /// Element i.
    [[nodiscard]] T element(std::size_t i) const
    {
        const unsigned below = 8 * sizeof(T) - bits; // bits that are not counted
        if (spread_ == Spread::equal)
            return static_cast<T>(frequent << below);
        const std::uint64_t random = common::random_bits::bits_at(key_, i);
        const auto x = static_cast<T>(random >> 32U);
        if (spread_ == Spread::uniform || unsigned{x} >> below >= bins / 2)
            return x;
        return static_cast<T>(frequent << below | (x & ((1U << below) - 1)));
    }

    void poison() override { output_.poison(); }
    [[nodiscard]] common::Verdict verify() override
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
    unsigned bits;         ///< of an element that are its value
    /// Elements of `c`.
    std::size_t bins = std::size_t{1} << bits;

  private:
    void make_arrays() override
    {
        input_ = common::Buffer<T>(n);
        output_ = common::Array(common::element_of<unsigned>(), bins);
        a = input_.data();
        c = static_cast<unsigned*>(output_.data());
        if (common::skips_initialization())
            return;
        const common::Buffer<T> staging(std::min(n, std::size_t{1} << 25U),
                                        common::MemoryKind::pinned);
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
        const std::size_t grain =
            std::max(std::size_t{1} << 16U, 16 * bins); // elements a set of counters
        std::mutex mutex;
        common::parallel_for(count, grain, [&](std::size_t begin, std::size_t end) {
            std::vector<unsigned> counts(bins);
            for (std::size_t k = begin; k < end; ++k) {
                out[k] = element(first + k);
                ++counts[out[k] >> (8 * sizeof(T) - bits)];
            }
            const std::lock_guard lock(mutex);
            for (std::size_t x = 0; x < bins; ++x)
                counts_[x] += counts[x];
        });
    }

    std::uint64_t key_;
    Spread spread_;
    std::vector<unsigned> counts_; ///< what is expected
    common::Buffer<T> input_;
    common::Array output_;
};
