/// \file
/// Rows of bf16 values, and the reference of the operation on each: softmax, norm, or norm in fp8.
#pragma once

#include "common/problem/extent.hpp"
#include "common/problem/parallel.hpp"
#include "common/problem/problem.hpp"
#include "common/problem/write_elements.hpp"
#include "row_shape.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

/// The operation on each row.
enum class RowResult
{
    softmax,    ///< e^x over the sum of all e^x
    norm,       ///< x over the root of the mean square, times the column's weight
    norm_to_fp8 ///< the same in 8 bits, over a scale by which the largest result becomes 448
};

/// Sums over a row in double, on which its results depend.
struct RowTotals
{
    double highest = 0;      ///< largest x of a softmax; else 0
    double exponentials = 0; ///< sum of e^(x - highest)
    double mean_square = 0;  ///< of x
    double largest = 0;      ///< largest |x weight|
    double range = 0;        ///< largest x less the smallest
};

/// The result, in double, for x, an element less RowTotals::highest, and its column's weight.
using RowReference = double (*)(double x, double weight, const RowTotals& row);

/// Relative error that a result may have before it is rounded to its format. No term of a sum
/// passes through more than `additions` additions, each with a rescaling of what was there; the
/// largest exponent of an e^x is `range`, 0 where there is none. In units of 2^-23: three for an
/// addition with its rescaling, and twice 1.2 range, for CUDA's guide gives __expf(x) an error of
/// 2 + 1.173 |x| of them, and the errors of rescalings that follow each other add up to that of one
/// over the whole range; 24 more for all that is done once.
[[nodiscard]] constexpr double row_error_bound(unsigned additions, double range)
{
    return (3.0 * additions + 2.4 * range + 24) * 0x1p-23;
}

/// c from the rows of `a`, each by itself: bfloat16, or numbers of 8 bits and their scales.
///
/// Elements are multiples of 1/16 from -8 to 7.875, which a bfloat16 can hold. Of eight rows
/// one is of elements of -120, whose e^x is 0 as a float, one rises, which makes a running
/// maximum change all the time, and one has an element of 100, whose e^x no float holds. Of a
/// softmax one of 32 is of elements below what is taken for minus infinity by mistake. Behind a
/// row lie up to seven elements more, so that each begins at a multiple of 16 bytes: minus infinity
/// for a softmax, else 0. They do not change a row's partial results, and their own results are 0.
class RowProblem : public common::Problem
{
  public:
    /// Rows of that many columns. Their number and their width must fit an unsigned.
    RowProblem(const common::Setting& setting, RowResult result, const common::Extent& extent,
               RowReference reference)
        : Problem(result == RowResult::softmax ? "softmax"
                  : result == RowResult::norm  ? "norm"
                                               : "norm to fp8"),
          shape{static_cast<unsigned>(extent.rows), static_cast<unsigned>(extent.columns),
                static_cast<unsigned>((extent.columns + 7) / 8 * 8)},
          result_(result), reference_(reference),
          key_(common::random_bits::input_key(setting.seed, 0))
    {}

    /// Sets the bound for the variants that follow: at most `additions` additions per element. With
    /// `through_bf16`, the norm is rounded to bfloat16 before it is rounded to fp8.
    void expect(unsigned additions, bool through_bf16 = false)
    {
        additions_ = additions;
        through_bf16_ = through_bf16;
    }
    /// Element `column` of a row.
    [[nodiscard]] float element(std::size_t row, std::size_t column) const
    {
        const std::uint64_t bits = common::random_bits::bits_at(key_, row * shape.columns + column);
        switch (row % 8) {
        case 5:
            return row % 32 == 29 && result_ == RowResult::softmax ? -0x1p120F : -120;
        case 6:
            return number(column * steps / shape.columns);
        case 7:
            if (column == row % shape.columns)
                return 100;
            [[fallthrough]];
        default:
            return number((bits >> 32U) % steps);
        }
    }
    /// The weight of a column in a norm.
    [[nodiscard]] float weight(std::size_t column) const
    {
        return static_cast<float>(8 + column * 7 % 16) / 16;
    }

    /// The output of that operation: c8 for results of 8 bits, else c.
    template<class Op>
    [[nodiscard]] typename Op::Out* output() const
    {
        if constexpr (sizeof(typename Op::Out) == 1)
            return c8;
        else
            return c;
    }
    /// The input of that operation: `a`, or c for the second of two kernels.
    template<class Op>
    [[nodiscard]] const __nv_bfloat16* input() const
    {
        return Op::second_kernel ? c : a;
    }

    void poison() override
    {
        output_.poison();
        scales_.poison();
    }
    [[nodiscard]] common::Verdict verify() override
    {
        if (common::skips_initialization())
            return {};
        if (totals_.empty())
            add_up_rows();
        common::Verdict verdict = output_.verify([this](std::size_t i) { return tolerance(i); });
        if (!verdict.ok || !to_fp8())
            return verdict;
        common::Verdict scales_verdict = scales_.verify([this](std::size_t row) {
            const double scale = root(totals_[row]) * totals_[row].largest / double{largest_fp8};
            return common::Tolerance{scale, scale * bound(totals_[row])};
        });
        scales_verdict.output = "Of the scales: ";
        return scales_verdict.ok ? verdict : scales_verdict;
    }
    /// The elements once, the results once, and the scales.
    [[nodiscard]] std::uint64_t bytes() const override
    {
        return std::uint64_t{shape.rows} * shape.width * (to_fp8() ? 3 : 4) +
               (to_fp8() ? std::uint64_t{shape.rows} * sizeof(float) : 0);
    }
    [[nodiscard]] std::size_t size() const override
    {
        return std::size_t{shape.rows} * shape.columns;
    }

    const __nv_bfloat16* a = nullptr; ///< the elements, row by row
    const __nv_bfloat16* w = nullptr; ///< weights of the columns
    __nv_bfloat16* c = nullptr;       ///< the results, or those of the first of two kernels
    __nv_fp8_e4m3* c8 = nullptr;      ///< the results where they have 8 bits
    float* scales = nullptr;          ///< and the scales of the rows
    RowShape shape;                   ///< of all of them

  private:
    static constexpr unsigned steps = 255; ///< numbers that elements are, but for 100 and -120
    static float number(std::uint64_t step) { return (static_cast<float>(step) - 128) / 16; }
    static double root(const RowTotals& row)
    {
        return 1 / std::sqrt(row.mean_square + double{norm_epsilon});
    }
    [[nodiscard]] bool to_fp8() const { return result_ == RowResult::norm_to_fp8; }

    void make_arrays() override
    {
        using common::to_bf16;
        const std::size_t elements = std::size_t{shape.rows} * shape.width;
        const float behind =
            result_ == RowResult::softmax ? -std::numeric_limits<float>::infinity() : 0;
        input_ = common::buffer_of<std::uint16_t>(elements, [this, behind](std::size_t i) {
            const std::size_t column = i % shape.width;
            return to_bf16(column < shape.columns ? element(i / shape.width, column) : behind);
        });
        weights_ = common::buffer_of<std::uint16_t>(shape.width, [this](std::size_t column) {
            return column < shape.columns ? to_bf16(weight(column)) : std::uint16_t{0};
        });
        output_ = common::Array(to_fp8() ? common::Element::fp8 : common::Element::bf16, elements);
        if (to_fp8()) {
            scales_ = common::Array(common::Element::f32, shape.rows);
            between_ = common::Buffer<std::uint16_t>(elements);
        }
        void* const out = output_.data();
        a = reinterpret_cast<const __nv_bfloat16*>(input_.data());
        w = reinterpret_cast<const __nv_bfloat16*>(weights_.data());
        c = static_cast<__nv_bfloat16*>(to_fp8() ? static_cast<void*>(between_.data()) : out);
        c8 = to_fp8() ? static_cast<__nv_fp8_e4m3*>(out) : nullptr;
        scales = static_cast<float*>(scales_.data());
    }
    void add_up_rows()
    {
        totals_.resize(shape.rows);
        const std::size_t grain = (1 << 14) / shape.columns + 1;
        common::parallel_for(shape.rows, grain, [this](std::size_t begin, std::size_t end) {
            for (std::size_t row = begin; row < end; ++row)
                totals_[row] = totals(row);
        });
    }
    [[nodiscard]] RowTotals totals(std::size_t row) const
    {
        RowTotals all;
        double high = element(row, 0);
        double low = high;
        for (std::size_t column = 0; column < shape.columns; ++column) {
            const double x = element(row, column);
            all.mean_square += x * x / shape.columns;
            all.largest = std::max(all.largest, std::abs(x * weight(column)));
            high = std::max(high, x);
            low = std::min(low, x);
        }
        if (result_ != RowResult::softmax)
            return all;
        all.highest = high;
        all.range = high - low;
        for (std::size_t column = 0; column < shape.columns; ++column)
            all.exponentials += std::exp(element(row, column) - high);
        return all;
    }
    [[nodiscard]] double bound(const RowTotals& row) const
    {
        // A bfloat16 has eight digits: rounded to it, a number and the largest are off by 2^-8 at
        // most.
        return row_error_bound(additions_, row.range) + (through_bf16_ ? 2 * 0x1p-8 : 0);
    }
    [[nodiscard]] common::Tolerance tolerance(std::size_t i) const
    {
        const RowTotals& row = totals_[i / shape.width];
        const std::size_t column = i % shape.width;
        const double value =
            column < shape.columns
                ? reference_(element(i / shape.width, column) - row.highest, weight(column), row)
                : 0;
        // A result below the least normal float may become 0.
        return {value, std::abs(value) * bound(row) + 0x1p-126};
    }

    RowResult result_;
    RowReference reference_;
    std::uint64_t key_;
    std::vector<RowTotals> totals_;
    unsigned additions_ = 0;
    bool through_bf16_ = false;
    common::Buffer<std::uint16_t> input_;
    common::Buffer<std::uint16_t> weights_;
    common::Buffer<std::uint16_t> between_;
    common::Array output_;
    common::Array scales_;
};
