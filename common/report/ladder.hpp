/// \file
/// The closing ladder of `./run`: what each chapter reached.
#pragma once

#include "common/report/results.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace common {

/// One line a chapter, in the order given: the best bandwidth with its shares of the peak and the
/// copy and its ratios to the library and to the chapter before (GPU), or the fewest transactions
/// (CPU device), in lines of at most `width` columns, 60 or more.
[[nodiscard]] std::string render_ladder(const std::vector<Results>& chapters, std::size_t width);

} // namespace common
