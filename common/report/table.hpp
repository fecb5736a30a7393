/// \file
/// Results as a table for people.
#pragma once

#include "common/report/results.hpp"

#include <cstddef>
#include <string>

namespace common {

/// The table with its heading, the failures below it, and the line that names the best variant, in
/// lines of at most `width` columns. Where that is too wide and tasks have parameters of their own,
/// so has each a table. The least important columns go first when it is narrow, and a line says
/// which.
[[nodiscard]] std::string render_table(const Results& results, std::size_t width);

/// The variants alone, with their parameters, in lines of at most `width` columns.
[[nodiscard]] std::string render_list(const Results& results, std::size_t width);

} // namespace common
