/// \file
/// Results that are sums of products, one for each row of a matrix, and how far off they may be.
#pragma once

#include "common/problem/parallel.hpp"
#include "common/problem/problem.hpp"
#include "common/problem/write_elements.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

/// The values of a product's factors.
enum class Factors
{
    whole,    ///< whole numbers from -2 to 2: sums of up to 2^22 products are exact in any order
    fractions ///< from -1 to 1, in steps of 2^-23: a product, and each addition, is rounded
};

/// Factor i of those that have that key, rounded to T.
template<class T>
[[nodiscard]] T factor(Factors factors, std::uint64_t key, std::uint64_t i)
{
    const std::uint64_t bits = common::random_bits::bits_at(key, i);
    if (factors == Factors::whole)
        return static_cast<T>(static_cast<float>((bits >> 32U) * 5 >> 32U) - 2.0F);
    return static_cast<T>(static_cast<float>(bits >> 40U) * 0x1p-23F - 1.0F);
}

/// The sum of a row's products in double, and what bounds the error of one in float.
struct RowSum
{
    double sum = 0;          ///< of the products
    double magnitude = 0;    ///< sum of their absolute values
    std::uint64_t terms = 0; ///< number of products

    /// Adds x y.
    void add(float x, float y)
    {
        const double product = double{x} * double{y};
        sum += product;
        magnitude += std::abs(product);
        ++terms;
    }
};

/// c[r] = the sum of the products of row r, for as many rows as there are.
///
/// In whatever order n products are added, each passes through at most n roundings. So a sum may
/// differ from that in double by sum_error_bound(n) times the sum of the products' magnitudes; and
/// not at all where no float is rounded.
class RowSums : public common::Problem
{
  public:
    /// Sets the reference: the sum of row r. It is called from several threads.
    void expect(std::function<RowSum(std::size_t r)> reference)
    {
        reference_ = std::move(reference);
        sums_.clear();
    }
    void poison() override { output_.poison(); }
    [[nodiscard]] common::Verdict verify() override
    {
        if (sums_.empty()) {
            sums_.resize(rows);
            common::parallel_for(rows, 16, [this](std::size_t begin, std::size_t end) {
                for (std::size_t r = begin; r < end; ++r)
                    sums_[r] = reference_(r);
            });
        }
        return output_.verify([this](std::size_t r) { return tolerance(sums_[r]); });
    }
    /// The values of the products' factors.
    [[nodiscard]] virtual Factors factors() const = 0;

    float* c = nullptr; ///< the sums
    std::size_t rows;   ///< how many

  protected:
    /// A problem of that task with so many rows.
    RowSums(std::string task, std::size_t row_count) : Problem(std::move(task)), rows(row_count) {}
    void make_arrays() override
    {
        output_ = common::Array(common::Element::f32, rows);
        c = static_cast<float*>(output_.data());
    }

  private:
    [[nodiscard]] common::Tolerance tolerance(const RowSum& row) const
    {
        const bool exact = factors() == Factors::whole && row.magnitude <= 0x1p24;
        return {row.sum, exact ? 0 : common::sum_error_bound(row.terms) * row.magnitude};
    }

    std::function<RowSum(std::size_t r)> reference_;
    std::vector<RowSum> sums_;
    common::Array output_;
};
