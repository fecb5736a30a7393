/// \file
/// The array of chapter 28, the reference of its reduction, and the error bound of a sum of floats.
#pragma once

#include "common/device/check.hpp"
#include "common/device/memory.hpp"
#include "common/problem/element.hpp"
#include "common/problem/parallel.hpp"
#include "common/problem/problem.hpp"
#include "common/problem/tolerance.hpp"
#include "common/problem/write_elements.hpp"

#include <cuda_runtime_api.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>

/// The values of a Reduction's elements.
enum class Values
{
    random, ///< floats from 0 to 1, in steps of 2^-24; words of any bits
    equal   ///< all 1
};

/// Reduces the n elements of `a`, floats or unsigned words, to c[0]: their sum, or, for a Result of
/// 64 bits, the first of the largest words in the upper half and the complement of its index in the
/// lower half.
template<class T, class Result>
class Reduction : public common::Problem
{
  public:
    static constexpr std::size_t max_partials = 1 << 14;        ///< elements of `partials`
    static constexpr bool of_floats = std::is_same_v<T, float>; ///< their sum depends on the order
    static constexpr bool argmax = sizeof(Result) == 8;         ///< else a sum

    /// A problem of `size` elements; call expect() before a variant runs.
    Reduction(const common::Setting& setting, std::string task, std::size_t size, Values values)
        : Problem(std::move(task)), n(size), key_(common::random_bits::input_key(setting.seed, 0)),
          values_(values)
    {}

    /// Element i.
    [[nodiscard]] T element(std::size_t i) const
    {
        if (values_ == Values::equal)
            return T{1};
        const std::uint64_t bits = common::random_bits::bits_at(key_, i);
        if constexpr (of_floats)
            return static_cast<float>(bits >> 40U) * 0x1p-24F;
        else
            return static_cast<unsigned>(bits >> 32U);
    }

    /// Sets the reference for the variants that follow. No element goes through more than
    /// `additions` additions: a sum of floats must be within common::sum_error_bound(additions) of
    /// the sum in double, which is exact up to 2^29 elements. Other results are compared bit by
    /// bit; sums of words are modulo 2^32. With `index`, the lower half has the index itself.
    void expect(std::uint64_t additions, bool index = false)
    {
        if (!std::exchange(known_, true))
            compute_reference();
        if constexpr (argmax)
            expected_ = Result{element(index_)} << 32U |
                        static_cast<std::uint32_t>(index ? index_ : ~index_);
        else
            expected_ = static_cast<Result>(sum_);
        tolerance_ = of_floats ? static_cast<double>(sum_) * common::sum_error_bound(additions) : 0;
    }
    /// Variant::unavailable for that many additions: with too many, no error bound is finite.
    [[nodiscard]] std::string unavailable_reason(std::uint64_t additions) const
    {
        return of_floats && std::isinf(common::sum_error_bound(additions))
                   ? "2^24 floats one after another: their sum may be anything"
                   : "";
    }

    void poison() override { output_.poison(); }
    /// A float is right within the tolerance; all else is compared bit for bit.
    [[nodiscard]] common::Verdict verify() override
    {
        if constexpr (of_floats)
            return output_.verify([this](std::size_t) {
                return common::Tolerance{sum_, tolerance_};
            });
        else
            return output_.verify([this](std::size_t, std::size_t, void* out) {
                std::memcpy(out, &expected_, sizeof expected_);
            });
    }
    [[nodiscard]] std::uint64_t bytes() const override { return n * sizeof(T) + sizeof(Result); }
    [[nodiscard]] std::size_t size() const override { return n; }

    const T* a = nullptr;            ///< the elements
    Result* c = nullptr;             ///< the result
    Result* partials = nullptr;      ///< space for one partial result per block
    unsigned* blocks_done = nullptr; ///< a counter, 0 at first: how many blocks have finished
    std::size_t n;                   ///< elements

  private:
    static constexpr std::size_t grain = 1 << 16;

    void make_arrays() override
    {
        input_ = common::buffer_of<T>(n, [this](std::size_t i) { return element(i); });
        output_ = common::Array(common::element_of<Result>(), 1);
        partials_ = common::Buffer<Result>(max_partials);
        blocks_done_ = common::Buffer<unsigned>(1);
        CHECK_CUDA(cudaMemset(blocks_done_.data(), 0, blocks_done_.bytes()));
        a = input_.data();
        c = static_cast<Result*>(output_.data());
        partials = partials_.data();
        blocks_done = blocks_done_.data();
    }

    /// Computes the sum, or the index of the largest element, on the host.
    void compute_reference()
    {
        if (common::skips_initialization())
            return;
        std::mutex mutex;
        common::parallel_for(n, grain, [&](std::size_t begin, std::size_t end) {
            Wide sum{};
            std::size_t at = begin;
            for (std::size_t i = begin; i < end; ++i)
                if constexpr (!argmax)
                    sum += element(i);
                else if (element(i) > element(at))
                    at = i;
            const std::lock_guard lock(mutex);
            sum_ += sum;
            const T here = element(at);
            const T best = element(index_);
            if (here > best || (here == best && at < index_))
                index_ = at;
        });
    }

    using Wide = std::conditional_t<of_floats, double, unsigned>;

    std::uint64_t key_;
    Values values_;
    bool known_ = false; ///< whether the reference has been computed
    Wide sum_{};
    std::size_t index_ = 0; ///< of the largest element
    Result expected_{};
    double tolerance_ = 0;
    common::Buffer<T> input_;
    common::Buffer<Result> partials_;
    common::Buffer<unsigned> blocks_done_;
    common::Array output_;
};
