/// \file
/// How rows lie in memory, and numbers that kernels and the reference have in common.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

/// Added to the mean of the squares of a row before its root is taken, so that it is not 0.
inline constexpr float norm_epsilon = 1e-5F;
/// The largest number of the format E4M3.
inline constexpr float largest_fp8 = 448;

/// How rows lie in memory: one behind another.
struct RowShape
{
    unsigned rows;    ///< how many
    unsigned columns; ///< numbers of a row
    unsigned width;   ///< from row to row: columns, rounded up to a multiple of 8

    /// Element `column` of a row.
    [[nodiscard]] __host__ __device__ std::size_t at(unsigned row, unsigned column) const
    {
        return std::size_t{row} * width + column;
    }
};
