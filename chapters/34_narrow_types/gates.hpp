/// \file
/// Two arrays of bfloat16, one of which is a gate for the other.
#pragma once

#include "common/problem/problem.hpp"
#include "common/problem/write_elements.hpp"
#include "conversions.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>

/// c[i] = silu(a[i]) b[i], where silu(x) = x / (1 + e^-x). Elements are multiples of 1/16 from -8
/// to 7.9375, which a bfloat16 can hold.
class Gates : public common::Problem
{
  public:
    /// `size` elements.
    Gates(const common::Setting& setting, std::size_t size)
        : Problem("silu(x) y"), n(size), keys_{common::random_bits::input_key(setting.seed, 0),
                                               common::random_bits::input_key(setting.seed, 1)}
    {
        for (unsigned step = 0; step < steps; ++step) {
            const double x = number(step);
            silu_[step] = x / (1 + std::exp(-x));
        }
    }

    void poison() override { output_.poison(); }
    [[nodiscard]] common::Verdict verify() override
    {
        return output_.verify([this](std::size_t i) {
            const double x = number(step_of(0, i));
            const double value = silu_[step_of(0, i)] * number(step_of(1, i));
            // Units of 2^-23: __expf(x) has an error of 2 + 1.173 |x| of them, and a quotient, a
            // sum and a product have six at most.
            return common::Tolerance{value, std::abs(value) * (8 + 1.173 * std::abs(x)) * 0x1p-23};
        });
    }
    [[nodiscard]] std::uint64_t bytes() const override { return 3 * n * sizeof(__nv_bfloat16); }
    [[nodiscard]] std::size_t size() const override { return n; }

    const __nv_bfloat16* a = nullptr; ///< the gates
    const __nv_bfloat16* b = nullptr; ///< what they let through
    __nv_bfloat16* c = nullptr;       ///< the output
    std::size_t n;                    ///< elements

  private:
    static constexpr unsigned steps = 256; ///< numbers that elements are
    static float number(unsigned step) { return (static_cast<float>(step) - 128) / 16; }
    /// Which of these numbers element i of a or of b is.
    [[nodiscard]] unsigned step_of(unsigned array, std::size_t i) const
    {
        return static_cast<unsigned>(common::random_bits::bits_at(keys_[array], i) >> 56U);
    }
    void make_arrays() override
    {
        for (unsigned array : {0U, 1U})
            inputs_[array] = common::buffer_of<__nv_bfloat16>(n, [this, array](std::size_t i) {
                return narrow<__nv_bfloat16>(number(step_of(array, i)));
            });
        output_ = common::Array(common::Element::bf16, n);
        a = inputs_[0].data();
        b = inputs_[1].data();
        c = static_cast<__nv_bfloat16*>(output_.data());
    }

    std::uint64_t keys_[2];
    double silu_[steps]; ///< of each number
    common::Buffer<__nv_bfloat16> inputs_[2];
    common::Array output_;
};
