/// \file
/// The kernel launches of the program, executed and counted.
#pragma once

#include "cpu_device/counts.hpp"

#include <cstdint>
#include <vector>

namespace cpu_device {

/// The launches since forget_launches(), in order, with their counts.
[[nodiscard]] const std::vector<LaunchRecord>& launches();
/// Forgets them.
void forget_launches();

/// Seeds the order in which the warps of a block and the lanes of a warp run; 0 is ascending. A
/// kernel that misses a barrier goes wrong in some order.
void set_lane_order(std::uint64_t seed);

} // namespace cpu_device
