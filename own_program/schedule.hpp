/// \file
/// How long a warp takes that is alone on a multiprocessor, as its machine code tells.
#pragma once

#include "own_program/machine_code.hpp"

#include <vector>

namespace own_program {

/// What a warp needs for itself, its waits for global memory counted and not timed.
struct Schedule
{
    double cycles = 0; ///< from its first instruction to its last; 0: nobody knows
    double waits = 0;  ///< for loads from global memory that are on their way together
};

/// That of a warp which runs each of `blocks` as often as `runs` says. Loops are gone through
/// twice, so that what one round has asked for is waited for in the next one.
[[nodiscard]] Schedule schedule(const std::vector<BasicBlock>& blocks,
                                const std::vector<double>& runs);

} // namespace own_program
