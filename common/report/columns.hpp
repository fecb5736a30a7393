/// \file
/// The columns of a table: which there are, and what each shows of a row.
#pragma once

#include "common/report/results.hpp"
#include "common/text/text_table.hpp"

namespace common {

/// A line for each row, with the columns that say something of these rows.
[[nodiscard]] TextTable make_table(const Results& results);

} // namespace common
