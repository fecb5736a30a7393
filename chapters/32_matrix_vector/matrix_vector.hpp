/// \file
/// A matrix times a vector.
#pragma once

#include "common/chapter.hpp"
#include "common/problem/extent.hpp"
#include "row_sums.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

/// How a matrix lies in memory.
enum class Order
{
    rows,   ///< row by row
    columns ///< column by column
};

/// The shape of a matrix, and what its elements are.
struct MatrixTask
{
    common::Extent extent = {};       ///< its rows and columns
    Factors factors = Factors::whole; ///< what its elements are
    bool extra = false;               ///< whether it is there for a few variants alone
};

/// A square of whole numbers, of at most n elements.
[[nodiscard]] inline MatrixTask square_matrix(std::size_t n)
{
    return {.extent =
                common::matrix_of(n, static_cast<std::size_t>(std::sqrt(static_cast<double>(n))))};
}

/// The matrices of at most n elements: a square of whole numbers, or the wide one of a decoder
/// layer, which makes 14336 of 4096; and of a quarter as many elements, 8 rows, and a square of
/// fractions, for what has to be seen of them.
[[nodiscard]] inline std::vector<MatrixTask> matrix_tasks(std::size_t n)
{
    constexpr std::size_t wide = 4096;
    const std::size_t fewer = std::max(n / 4, std::size_t{1});
    std::vector<MatrixTask> tasks = {square_matrix(n), square_matrix(fewer), square_matrix(fewer)};
    if (n == 14336 * wide)
        tasks[0].extent = common::matrix_of(n, wide);
    tasks[1].extent = common::matrix_of(fewer, std::max(fewer / 8, std::size_t{1}));
    tasks[2].factors = Factors::fractions;
    tasks[1].extra = tasks[2].extra = true;
    return tasks;
}

/// c = a x, for a matrix `a` of T, float or __nv_bfloat16, and a vector `x` of T. Rows, or columns,
/// begin at multiples of 16 bytes, `pitch` elements apart; what lies between them is zeros, and so
/// is what follows x up to such a multiple.
template<class T>
class MatrixVector : public RowSums
{
  public:
    static constexpr std::size_t per_vector = 16 / sizeof(T); ///< elements of 16 bytes

    /// That matrix, which lies in that order.
    MatrixVector(const common::Setting& setting, const MatrixTask& matrix, Order storage)
        : RowSums("matrix times vector", matrix.extent.rows), columns(matrix.extent.columns),
          pitch(padded(storage == Order::rows ? columns : rows)), width(pitch / per_vector),
          order(storage), task_(matrix),
          matrix_key_(common::random_bits::input_key(setting.seed, 0)),
          vector_key_(common::random_bits::input_key(setting.seed, 1))
    {}

    /// Element (r, k) of the matrix.
    [[nodiscard]] T element(std::size_t r, std::size_t k) const
    {
        return factor<T>(task_.factors, matrix_key_, r * columns + k);
    }
    /// Element k of the vector.
    [[nodiscard]] T vector_element(std::size_t k) const
    {
        return factor<T>(task_.factors, vector_key_, k);
    }

    [[nodiscard]] std::uint64_t bytes() const override
    {
        return (size() + columns) * sizeof(T) + rows * sizeof(float);
    }
    [[nodiscard]] std::size_t size() const override { return rows * columns; }
    /// The matrix, 16 bytes at a time.
    [[nodiscard]] const uint4* vectors() const { return reinterpret_cast<const uint4*>(a); }
    /// Its shape, and what its elements are.
    [[nodiscard]] const MatrixTask& matrix() const { return task_; }
    [[nodiscard]] Factors factors() const override { return task_.factors; }

    const T* a = nullptr; ///< the matrix
    const T* x = nullptr; ///< the vector
    std::size_t columns;  ///< of the matrix
    std::size_t pitch;    ///< elements from row to row, or from column to column
    std::size_t width;    ///< the same, in times 16 bytes
    Order order;          ///< which of them it is

  private:
    static std::size_t padded(std::size_t elements)
    {
        return (elements + per_vector - 1) / per_vector * per_vector;
    }

    void make_arrays() override
    {
        RowSums::make_arrays();
        const bool by_rows = order == Order::rows;
        const std::size_t length = by_rows ? columns : rows;
        matrix_ = common::buffer_of<T>((by_rows ? rows : columns) * pitch, [&](std::size_t i) {
            const std::size_t line = i / pitch;
            const std::size_t place = i % pitch;
            return place >= length ? T(0.0F)
                   : by_rows       ? element(line, place)
                                   : element(place, line);
        });
        vector_ = common::buffer_of<T>(padded(columns), [&](std::size_t k) {
            return k < columns ? vector_element(k) : T(0.0F);
        });
        a = matrix_.data();
        x = vector_.data();
    }
    MatrixTask task_;
    std::uint64_t matrix_key_;
    std::uint64_t vector_key_;
    common::Buffer<T> matrix_;
    common::Buffer<T> vector_;
};

/// A row of the table for that matrix: the columns `type`, `order`, `rows`, `columns` and
/// `factors`.
template<class T>
[[nodiscard]] common::Variant matrix_variant(const MatrixVector<T>& p, const char* name,
                                             unsigned block = 0)
{
    return {.name = name,
            .threads = block,
            .columns = {{"type", sizeof(T) == sizeof(float) ? "float" : "bf16"},
                        {"order", p.order == Order::rows ? "rows" : "columns"},
                        {"rows", p.rows},
                        {"columns", p.columns},
                        {"factors", p.factors() == Factors::whole ? "whole" : "fractions"}},
            .full_only = p.matrix().extra};
}
