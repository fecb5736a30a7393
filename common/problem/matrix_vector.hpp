/// \file
/// A matrix times a vector.
#pragma once

#include "common/problem/bfloats.hpp"
#include "common/problem/extent.hpp"
#include "common/problem/row_sums.hpp"
#include "common/problem/write_elements.hpp"

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace common {

//! [sums]
/// A sum for each of the rows of which 16 bytes of a column have an element.
template<class T>
struct Sums
{
    static constexpr unsigned count = 16 / sizeof(T); ///< rows
    float of[count] = {};                             ///< the sums

    /// Adds the products of such 16 bytes and of the column's element of the vector.
    __device__ void add(uint4 a, T element)
    {
        const auto x = static_cast<float>(element);
        add_word(0, a.x, x);
        add_word(1, a.y, x);
        add_word(2, a.z, x);
        add_word(3, a.w, x);
    }
    /// The same of one of the four words.
    template<class Word>
    __device__ void add_word(unsigned k, Word a, float x)
    {
        if constexpr (sizeof(T) == sizeof(float)) {
            of[k] += __uint_as_float(a) * x;
        } else {
            of[2 * k] += lower(a) * x;
            of[2 * k + 1] += upper(a) * x;
        }
    }
};
//! [sums]

/// How a matrix lies in memory.
enum class Order
{
    rows,   ///< row by row
    columns ///< column by column
};

/// What matrix, and of what.
struct MatrixTask
{
    Extent extent = {};               ///< its rows and columns
    Factors factors = Factors::whole; ///< what its elements are
    bool extra = false;               ///< whether it is there for a few variants alone
};

/// A square of whole numbers, of at most n elements.
[[nodiscard]] inline MatrixTask square_matrix(std::size_t n)
{
    return {.extent = matrix_of(n, static_cast<std::size_t>(std::sqrt(static_cast<double>(n))))};
}

/// c = a x, for a matrix `a` of T, float or __nv_bfloat16, and a vector `x` of T. Rows, or columns,
/// begin at multiples of 16 bytes, `pitch` elements apart; what lies between them is zeros, and so
/// is what follows x up to such a multiple.
template<class T>
class MatrixVector : public RowSums
{
  public:
    static constexpr std::size_t unit = 16 / sizeof(T); ///< elements of 16 bytes

    /// That matrix, which lies in that order.
    MatrixVector(const Setting& setting, const MatrixTask& matrix, Order storage)
        : RowSums("matrix times vector", matrix.extent.rows), columns(matrix.extent.columns),
          pitch(padded(storage == Order::rows ? columns : rows)), width(pitch / unit),
          order(storage), task_(matrix), matrix_key_(random_bits::input_key(setting.seed, 0)),
          vector_key_(random_bits::input_key(setting.seed, 1))
    {}

    /// Element (r, k) of the matrix.
    [[nodiscard]] T element(std::size_t r, std::size_t k) const
    {
        return factor<T>(task_.factors, matrix_key_, r * columns + k);
    }
    /// Element k of the vector.
    [[nodiscard]] T of_vector(std::size_t k) const
    {
        return factor<T>(task_.factors, vector_key_, k);
    }

    [[nodiscard]] std::uint64_t bytes() const override
    {
        return (size() + columns) * sizeof(T) + rows * sizeof(float);
    }
    [[nodiscard]] std::size_t size() const override { return rows * columns; }
    /// The matrix, 16 bytes at a time.
    [[nodiscard]] const uint4* units() const { return reinterpret_cast<const uint4*>(a); }
    /// What it was made of.
    [[nodiscard]] const MatrixTask& matrix() const { return task_; }
    [[nodiscard]] Factors factors() const override { return task_.factors; }

    const T* a = nullptr; ///< the matrix
    const T* x = nullptr; ///< the vector
    std::size_t columns;  ///< of the matrix
    std::size_t pitch;    ///< elements from row to row, or from column to column
    std::size_t width;    ///< the same, in times 16 bytes
    Order order;          ///< which of them it is

  private:
    static std::size_t padded(std::size_t elements) { return (elements + unit - 1) / unit * unit; }

    void make_arrays() override
    {
        RowSums::make_arrays();
        const bool by_rows = order == Order::rows;
        const std::size_t across = by_rows ? columns : rows;
        matrix_ = buffer_of<T>((by_rows ? rows : columns) * pitch, [&](std::size_t i) {
            const std::size_t line = i / pitch;
            const std::size_t place = i % pitch;
            return place >= across ? T(0.0F)
                   : by_rows       ? element(line, place)
                                   : element(place, line);
        });
        vector_ = buffer_of<T>(padded(columns),
                               [&](std::size_t k) { return k < columns ? of_vector(k) : T(0.0F); });
        a = matrix_.data();
        x = vector_.data();
    }
    [[nodiscard]] Sum row(std::size_t r) const override
    {
        Sum sum;
        for (std::size_t k = 0; k < columns; ++k)
            add(sum, double{static_cast<float>(element(r, k))} *
                         double{static_cast<float>(of_vector(k))});
        return sum;
    }

    MatrixTask task_;
    std::uint64_t matrix_key_;
    std::uint64_t vector_key_;
    Buffer<T> matrix_;
    Buffer<T> vector_;
};

} // namespace common
