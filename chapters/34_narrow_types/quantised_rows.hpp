/// \file
/// Rows of bfloat16 that become numbers of 8 bits.
#pragma once

#include "common/problem/extent.hpp"
#include "common/problem/parallel.hpp"
#include "common/problem/problem.hpp"
#include "common/problem/write_elements.hpp"
#include "conversions.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

/// Each row of a matrix of bfloat16 becomes numbers of type T, of 8 bits, with a scale: the
/// magnitude of its largest element over the largest number of T. One row in 16 is zeros.
template<class T>
class QuantisedRows : public common::Problem
{
  public:
    using Reference = float (*)(float x, float largest); ///< of an element

    /// A matrix of that extent. Columns are a multiple of 8.
    /// reference(x, largest) is what becomes of an element x, before it is rounded to T, in a row
    /// whose largest magnitude is `largest`.
    QuantisedRows(const common::Setting& setting, const common::Extent& matrix, Reference reference)
        : Problem("quantise rows"), rows(matrix.rows), columns(matrix.columns),
          reference_(reference), key_(common::random_bits::input_key(setting.seed, 0))
    {}

    /// Element i, of the matrix row by row.
    [[nodiscard]] __nv_bfloat16 element(std::size_t i) const
    {
        const std::uint64_t bits = common::random_bits::bits_at(key_, i);
        const bool zero = common::random_bits::mix(key_ + i / columns) >> 60U == 0;
        const auto x = static_cast<float>(static_cast<std::int64_t>(bits) >> 40) * 0x1p-20F;
        const bool small = common::random_bits::mix(key_ + i / columns) >> 60U == 1;
        const bool first = small && i % columns == 0; // a row of zeros has no other element either
        return narrow<__nv_bfloat16>(zero || first ? 0.0F : small ? x * 0x1p-8F : x);
    }
    /// The magnitude of the largest element of a row.
    [[nodiscard]] float largest(std::size_t row) const
    {
        float x = 0;
        for (std::size_t k = 0; k < columns; ++k)
            x = std::max(x, std::abs(widen(element(row * columns + k))));
        return x;
    }

    void poison() override
    {
        output_.poison();
        scale_.poison();
    }
    [[nodiscard]] common::Verdict verify() override
    {
        if (largest_.empty()) {
            largest_.resize(rows);
            common::parallel_for(rows, 16, [this](std::size_t begin, std::size_t end) {
                for (std::size_t row = begin; row < end; ++row)
                    largest_[row] = largest(row);
            });
        }
        common::Verdict scales =
            scale_.verify_again([this](std::size_t first, std::size_t count, void* out) {
                for (std::size_t k = 0; k < count; ++k)
                    static_cast<float*>(out)[k] = largest_[first + k] / largest_number<T>;
            });
        scales.output = "Of the scales: ";
        return !scales.ok
                   ? scales
                   : output_.verify_again([this](std::size_t first, std::size_t count, void* out) {
                         for (std::size_t k = 0; k < count; ++k)
                             static_cast<T*>(out)[k] = narrow<T>(reference_(
                                 widen(element(first + k)), largest_[(first + k) / columns]));
                     });
    }
    [[nodiscard]] std::uint64_t bytes() const override
    {
        return size() * (sizeof(__nv_bfloat16) + sizeof(T)) + rows * sizeof(float);
    }
    [[nodiscard]] std::size_t size() const override { return rows * columns; }

    const __nv_bfloat16* a = nullptr; ///< the matrix
    T* c = nullptr;                   ///< its rows, narrower
    float* scale = nullptr;           ///< of each of them
    std::size_t rows;                 ///< of the matrix
    std::size_t columns;              ///< of the matrix

  private:
    void make_arrays() override
    {
        input_ =
            common::buffer_of<__nv_bfloat16>(size(), [this](std::size_t i) { return element(i); });
        output_ = common::Array(common::element_of<T>(), size());
        scale_ = common::Array(common::Element::f32, rows);
        a = input_.data();
        c = static_cast<T*>(output_.data());
        scale = static_cast<float*>(scale_.data());
    }

    Reference reference_;
    std::uint64_t key_;
    std::vector<float> largest_;
    common::Buffer<__nv_bfloat16> input_;
    common::Array output_;
    common::Array scale_;
};
