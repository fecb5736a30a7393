/// \file
/// How far a chapter is, and the run that it is a part of.
#pragma once

#include "common/text/terminal.hpp"

#include <chrono>
#include <cstddef>
#include <string>

namespace common {

/// The line that says which row runs. Of the whole run ./run tells in MOVING_BYTES_PROGRESS: which
/// chapter of how many this is, how many rows it has, how many seconds are left at its start; 0
/// where that is not known.
class RowProgress
{
  public:
    /// Reads the environment; the clock starts.
    RowProgress();
    /// Shows the next row of the chapter: "03_coarsening: chapter 3 of 18, row 5 of 22, about 40 s
    /// left, ROW".
    void next(const std::string& row, const std::string& chapter);
    /// Takes the line away.
    void clear() { line_.clear(); }

  private:
    using Clock = std::chrono::steady_clock;

    unsigned chapter_ = 0;
    unsigned chapters_ = 0;
    unsigned rows_ = 0;
    unsigned seconds_left_ = 0;
    unsigned row_ = 0;
    Clock::time_point start_ = Clock::now();
    Progress line_;
};

} // namespace common
