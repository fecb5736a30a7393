// A transpose kernel as a row of chapters 19 and 20, and the reference.
#pragma once

#include "common/chapter.hpp"

#include <string>

/// A kernel, its block size, and what determines its grid.
struct TransposeKernel
{
    const char* name; ///< Variant::name
    /// The kernel: from a, to c, rows and columns of a.
    void (*launch)(const float*, float*, std::size_t, std::size_t);
    bool down;                     ///< blockIdx.x advances along the columns of a, not its rows
    dim3 block = {32, 8};          ///< threads
    dim3 per_thread = {1, 1};      ///< elements, in the directions of blockIdx.x and blockIdx.y
    unsigned word = sizeof(float); ///< bytes per load of a lane; rows are multiples of it
    unsigned more = 0;             ///< most rows by which a tile is shifted up
    bool full = false;             ///< Variant::full_only

    /// Returns its row of the table for a matrix of that extent.
    [[nodiscard]] common::Variant row(const common::Extent& m) const
    {
        const std::size_t floats = word / sizeof(float);
        const bool fits = m.rows % floats + m.columns % floats == 0;
        return {.name = name,
                .threads = block.x * block.y,
                .columns = {{"block", std::to_string(block.x) + "x" + std::to_string(block.y)},
                            {"word", word},
                            {"rows", m.rows},
                            {"columns", m.columns}},
                .unavailable = fits ? "" : "needs sides that are multiples of 4",
                .full_only = full};
    }
};

/// c becomes the transpose of a, a matrix of that extent: element (y, x), stored row by row,
/// becomes element (x, y).
[[nodiscard]] inline common::Arrays<float> transposed(const common::Setting& setting,
                                                      const common::Extent& m)
{
    return common::Arrays<float>(setting, {.task = "transpose", .n = m.size()},
                                 [m](const common::Inputs<float>& in, std::size_t i) {
                                     return in.a[i % m.rows * m.columns + i / m.rows];
                                 });
}
