/// \file
/// Shifts, whose count goes by another rule on a GPU than on a host.
#pragma once

#include "rewriter/source.hpp"

#include <cstddef>

namespace launch_rewriter {

/// True of a `<<` or `>>` with a count that is no literal. One `>>` that may close the
/// arguments of a template is taken for that.
[[nodiscard]] bool is_shift(const Source& source, std::size_t i);

} // namespace launch_rewriter
