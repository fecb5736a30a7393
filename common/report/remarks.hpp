/// \file
/// What stands below a table: remarks, the best row of each task, timelines.
#pragma once

#include "common/report/results.hpp"

#include <cstddef>
#include <string>

namespace common {

/// What is wrong with the rows that failed, which were served by the cache, which modelled times
/// there are, and which counts may differ from a GPU's.
[[nodiscard]] std::string remarks(const Results& results, std::size_t width);

/// The best of each task, a line each: a copy is no match for a sum.
[[nodiscard]] std::string closing(const Results& results, std::size_t width);

/// The modelled timelines of the first rows in which there are at least three bars to see: of the
/// largest size of each variant, and of rows that look the same the first.
[[nodiscard]] std::string timelines(const Results& results, std::size_t width);

/// The bars as text, at most `width` columns wide, a line for each engine that does something:
///
///     H2D      111122223333
///     compute      1   2   3
///     D2H           1   2   3
///
/// A figure is the number of the stream (0 the default stream, + a tenth one or later), # the
/// host's work, a dot is idle. Of several devices each has its lines, `compute 1`; those of `peer
/// 1` are of what leaves device 1 for another one.
[[nodiscard]] std::string draw(const Modelled& modelled, std::size_t width);

} // namespace common
