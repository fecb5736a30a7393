/// \file
/// An array of low-precision numbers, each of which is changed by itself.
#pragma once

#include "common/problem/problem.hpp"
#include "common/problem/write_elements.hpp"
#include "conversions.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>

/// c[i] from a[i], by a reference that is still to be given. Elements are whole numbers from -7 to
/// 8, of which all types have all, and 1 - x of each.
template<class T>
class Flips : public common::Problem
{
  public:
    /// `size` elements.
    Flips(const common::Setting& setting, std::size_t size)
        : Problem("flip"), n(size), key_(common::random_bits::input_key(setting.seed, 0))
    {}

    using Reference = float (*)(float x); ///< of an element

    /// The variants from here on make reference(x) of an element x.
    void expect(Reference reference)
    {
        if (std::exchange(reference_, reference) != reference)
            output_.forget_expected();
    }
    /// Element i.
    [[nodiscard]] float element(std::size_t i) const { return number(step_of(i)); }

    void poison() override { output_.poison(); }
    [[nodiscard]] common::Verdict verify() override
    {
        T results[steps];
        for (unsigned step = 0; step < steps; ++step)
            results[step] = narrow<T>(reference_(number(step)));
        return output_.verify_again([&](std::size_t first, std::size_t count, void* out) {
            for (std::size_t k = 0; k < count; ++k)
                static_cast<T*>(out)[k] = results[step_of(first + k)];
        });
    }
    [[nodiscard]] std::uint64_t bytes() const override { return 2 * n * sizeof(T); }
    [[nodiscard]] std::size_t size() const override { return n; }

    const T* a = nullptr; ///< the input
    T* c = nullptr;       ///< the output
    std::size_t n;        ///< elements

  private:
    static constexpr unsigned steps = 16; ///< numbers that elements are
    static float number(unsigned step) { return static_cast<float>(step) - 7.0F; }
    /// Which of these numbers element i is.
    [[nodiscard]] unsigned step_of(std::size_t i) const
    {
        return static_cast<unsigned>(common::random_bits::bits_at(key_, i) >> 60U);
    }

    void make_arrays() override
    {
        input_ = common::buffer_of<T>(n, [this](std::size_t i) { return narrow<T>(element(i)); });
        output_ = common::Array(common::element_of<T>(), n);
        a = input_.data();
        c = static_cast<T*>(output_.data());
    }

    std::uint64_t key_;
    Reference reference_ = nullptr;
    common::Buffer<T> input_;
    common::Array output_;
};
