/// \file
/// A matrix and its transpose.
#pragma once

#include "common/problem/arrays.hpp"
#include "common/problem/extent.hpp"

namespace common {

/// c becomes the transpose of a, a matrix of that extent: element (y, x), stored row by row,
/// becomes element (x, y).
[[nodiscard]] Arrays<float> transposed(const Setting& setting, const Extent& m);

} // namespace common
