/// \file
/// The layout of rows in memory, and constants that kernels and the reference share.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

/// Added to the mean square of a row, so that its root is not 0.
inline constexpr float norm_epsilon = 1e-5F;
/// The largest number of the format E4M3.
inline constexpr float largest_fp8 = 448;

/// The layout of contiguous rows.
struct RowShape
{
    unsigned rows;    ///< number of rows
    unsigned columns; ///< elements per row
    unsigned width;   ///< stride of rows: columns, rounded up to a multiple of 8

    /// The index of element `column` of a row.
    [[nodiscard]] __host__ __device__ std::size_t at(unsigned row, unsigned column) const
    {
        return std::size_t{row} * width + column;
    }
};
