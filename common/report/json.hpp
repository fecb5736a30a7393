/// \file
/// Results as JSON, as tools/results/results.schema.json describes it.
#pragma once

#include "common/report/results.hpp"

#include <string>
#include <utility>
#include <vector>

namespace common {

/// The results as text of a file.
[[nodiscard]] std::string results_to_json(const Results& results);

/// Fields with the ways to them, {"counts.load_sectors", "128"}: text without quotes, nothing for
/// null.
using FlatFields = std::vector<std::pair<std::string, std::string>>;

/// One row's, in the order of a file.
[[nodiscard]] FlatFields flat_fields(const Row& row);

} // namespace common
