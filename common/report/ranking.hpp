/// \file
/// Which rows are the best of those that solve the same task.
#pragma once

#include "common/report/results.hpp"

#include <vector>

namespace common {

/// The results task by task, in the order in which the tasks first appear: what solves one is no
/// match for what solves another.
[[nodiscard]] std::vector<Results> by_task(const Results& results);

/// The best of the chapter's own rows, several if they tie; empty if none was verified.
///
/// With times: the highest bandwidth, and all whose intervals overlap with its own; rows in the L2
/// cache do not count, nor do hot ones next to cold ones. With counts: the fewest sectors for each
/// byte of the problem, then the fewest requests.
[[nodiscard]] std::vector<const Row*> best_rows(const Results& results);

/// The library's row with the highest bandwidth, by the same rules; null if there is none.
[[nodiscard]] const Row* best_library(const Results& results);

/// Sectors of global and local memory that the launch moved for each KiB of the problem; 32 is the
/// least where nothing is reused. The row has counts.
[[nodiscard]] double sectors_per_kib(const Row& row);
/// Requests of global and local memory and wavefronts of constants for each KiB of the problem. The
/// row has counts.
[[nodiscard]] double requests_per_kib(const Row& row);

} // namespace common
