/// \file
/// Tries an answer to an exercise, in a process of its own, whatever it does.
#pragma once

#include "common/exercise/attempt.hpp"

#include <string>
#include <vector>

namespace common {

/// The goals of an exercise, stated for one attempt.
using Goals = void (*)(Attempt&);

/// What a check found.
struct Outcome
{
    std::vector<Goal> goals; ///< in the exercise's order
    std::string shown = {};  ///< what the reader is to see besides, as lines

    /// The first goal missed; null if there is none.
    [[nodiscard]] const Goal* first_missed() const;
};

/// Tries the answer that `goals` calls, at several sizes, with two seeds and, on the CPU device,
/// with the lanes in ascending and in other orders. The answer runs in a copy of the calling
/// process, so that a fault, an endless loop or a call of exit() is a goal missed; the device must
/// not be in use yet. Throws std::system_error where the system has no process, pipe or file left.
[[nodiscard]] Outcome check_answer(Goals goals);

} // namespace common
