/// \file
/// What a check does with an answer, one try after the other, and tells whoever watches.
#pragma once

#include "common/exercise/check.hpp"

#include <functional>
#include <string>

namespace common {

/// As JSON: what comes now ("With n = 1009: "), which goal is missed if the answer ends there, and
/// the goals so far.
[[nodiscard]] std::string report(const std::string& now, const std::string& goal_at_stake,
                                 const Outcome& outcome);

/// Told before each step, by such a report with an end of line.
using Tell = std::function<void(const std::string& report, const Outcome& outcome)>;

/// What comes now when nothing does any more.
inline constexpr const char* finished = "finished";

/// Lists the goals, then tries the answer until it goes wrong: where it does, the caller is not
/// always returned to.
void try_answer(Goals goals, const Tell& tell);

} // namespace common
