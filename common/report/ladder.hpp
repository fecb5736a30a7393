/// \file
/// The closing ladder of `./run`: what each chapter reached.
#pragma once

#include "common/report/results.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace common {

/// Task by task, the commonest first, so that like stands below like: a line for each chapter that
/// solves the task, in the order given. Then a line for each task that one chapter alone has. A
/// line holds the best bandwidth with its shares of the peak and the copy and its ratios to the
/// library and to the line above (GPU), or the best modelled bandwidth with what limits it and what
/// `records` hold of the same row on the same card (CPU device), or the fewest transactions where
/// nothing was modelled. Lines have at most `width` columns, 60 or more.
[[nodiscard]] std::string render_ladder(const std::vector<Results>& chapters, std::size_t width,
                                        const std::vector<Results>& records = {});

/// The table of the same ladder alone, for a screen: the commonest of the tasks that several
/// chapters solve with a bandwidth, as many as `height` lines hold, and at least one. Where there
/// are none, the commonest tasks.
[[nodiscard]] std::string shorten_ladder(const std::vector<Results>& chapters, std::size_t width,
                                         std::size_t height,
                                         const std::vector<Results>& records = {});

} // namespace common
