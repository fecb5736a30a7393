/// \file
/// Why a kernel is no faster: what limits it, the access that shows it, and the page with the
/// remedy.
#pragma once

#include "own_program/shapes.hpp"

#include <string>
#include <vector>

namespace own_program {

/// Of the kernels that take longest, three lines each, as wide as the terminal; how many are left
/// out, if any. Empty where nothing was modelled. `shapes` are those of `launches`.
[[nodiscard]] std::string advice(const std::vector<Shape>& shapes,
                                 const std::vector<common::LaunchRecord>& launches);

} // namespace own_program
