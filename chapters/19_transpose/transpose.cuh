// Kernels that transpose a matrix, as rows of a chapter, and what they have to make of it.
#pragma once

#include "common/chapter.hpp"

#include <string>

/// A kernel with the blocks that it takes, and what its grid is computed of.
struct TransposeKernel
{
    const char* name; ///< Variant::name
    /// The kernel: from a, to c, rows and columns of a.
    void (*launch)(const float*, float*, std::size_t, std::size_t);
    bool down;                     ///< blockIdx.x runs down the columns of a, else along its rows
    dim3 block = {32, 8};          ///< threads
    dim3 per_thread = {1, 1};      ///< elements, in the directions of blockIdx.x and blockIdx.y
    unsigned word = sizeof(float); ///< bytes per lane moves at once; rows must be multiples of them
    unsigned more = 0;             ///< rows by which a tile may begin above its place
    bool full = false;             ///< Variant::full

    /// Its row for a matrix of that extent.
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
                .full = full};
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
