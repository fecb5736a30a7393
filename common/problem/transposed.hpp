/// \file
/// A matrix and its transpose.
#pragma once

#include "common/problem/arrays.hpp"
#include "common/problem/extent.hpp"

namespace common {

/// c becomes the transpose of a, a matrix of that extent: element (y, x), stored row by row,
/// becomes element (x, y).
[[nodiscard]] inline Arrays<float> transposed(const Setting& setting, const Extent& m)
{
    return Arrays<float>(setting, {.task = "transpose", .n = m.size()},
                         [m](const Inputs<float>& in, std::size_t i) {
                             return in.a[i % m.rows * m.columns + i / m.rows];
                         });
}

} // namespace common
