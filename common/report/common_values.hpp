/// \file
/// What the parts of a table ask of all its rows.
#pragma once

#include "common/report/results.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace common {

/// True if that holds of a row.
[[nodiscard]] bool any(const Results& results, const std::function<bool(const Row&)>& holds);
/// Names of the parameters of all rows, in the order of their first appearance.
[[nodiscard]] std::vector<std::string> parameter_names(const Results& results);
/// The value of `name` in every row, if all have one and it is the same.
[[nodiscard]] std::optional<std::string> common_value(const Results& results,
                                                      std::string_view name);
/// The state of the cache in every measured row, if it is the same in all.
[[nodiscard]] std::optional<Cache> common_cache(const Results& results);
/// The row's label, without what is the same in all rows but for its threads, and with its n where
/// rows differ in it.
[[nodiscard]] std::string label(const Row& row, const Results& results);
/// The elements that a row's modelled time is of: those of the row where a link decides.
[[nodiscard]] std::optional<std::uint64_t> modelled_n(const Row& row);
/// The elements of all modelled times, if they are of the same number.
[[nodiscard]] std::optional<std::uint64_t> common_modelled_n(const Results& results);
/// True if each modelled time is of as many elements as its row.
[[nodiscard]] bool modelled_as_run(const Results& results);
/// `text` in lines of at most `width` columns, each with its end.
[[nodiscard]] std::string line(std::string_view text, std::size_t width);

} // namespace common
