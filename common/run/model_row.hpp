/// \file
/// The modelled timeline of a row.
#pragma once

#include "common/report/results.hpp"

#include <cstdint>
#include <vector>

namespace common {

/// The same operations, of `factor` times as many bytes.
[[nodiscard]] std::vector<Operation> scaled(std::vector<Operation> operations, double factor);

/// The timeline of a row of `n` elements; `whole` is true where the host's time counts, false where
/// only the device's does.
[[nodiscard]] Modelled model_row(const std::vector<Operation>& operations, const Card& card,
                                 std::uint64_t n, bool whole);

} // namespace common
