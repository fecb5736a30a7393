/// \file
/// The sides of boxes and matrices.
#pragma once

#include <algorithm>
#include <cstddef>
#include <stdexcept>

namespace common {

/// The extent of a box in elements; a matrix is a box of one slice.
struct Extent
{
    std::size_t columns = 0; ///< elements of a row
    std::size_t rows = 1;    ///< rows of a slice
    std::size_t slices = 1;  ///< slices

    /// Elements of the box, without padding.
    [[nodiscard]] std::size_t size() const { return columns * rows * slices; }
};

/// A box of at most `n` elements, `n` being 1 or more: `columns` to a row and `rows` to a slice
/// where there are so many, in as many slices as `n` holds. Throws std::invalid_argument when
/// `n`, `columns` or `rows` is 0.
inline Extent box_of(std::size_t n, std::size_t columns, std::size_t rows)
{
    if (n == 0 || columns == 0 || rows == 0)
        throw std::invalid_argument(
            "A box has at least one element, one column and one row; 0 was requested.");
    Extent extent;
    extent.columns = std::min(columns, n);
    extent.rows = std::min(rows, n / extent.columns);
    extent.slices = n / (extent.columns * extent.rows);
    return extent;
}

/// A matrix of at most `n` elements: `columns` to a row where there are so many, in as many rows as
/// `n` holds. Throws std::invalid_argument when `n` or `columns` is 0.
inline Extent matrix_of(std::size_t n, std::size_t columns)
{
    return box_of(n, columns, std::max(n, std::size_t{1}));
}

} // namespace common
