/// \file
/// Results as CSV, for spreadsheets.
#pragma once

#include "common/report/results.hpp"

#include <string>

namespace common {

/// The rows as CSV (RFC 4180), one column a field, with a line of names at the top.
[[nodiscard]] std::string results_to_csv(const Results& results);

} // namespace common
