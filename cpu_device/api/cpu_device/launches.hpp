/// \file
/// The kernel launches of the program, executed and counted.
#pragma once

#include "cpu_device/counts.hpp"

#include <cstdint>
#include <vector>

namespace cpu_device {

/// The counted launches since forget_launches(), in order, each with its counts and how many
/// repeats were not counted.
[[nodiscard]] const std::vector<LaunchRecord>& launches();
/// Forgets them; what is launched next is counted.
void forget_launches();

/// How closely launches are looked at.
enum class Detail
{
    counts,  ///< every request is counted
    traffic, ///< and those of some neighbouring blocks are traced: see set_trace_sink()
    /// No more blocks run than the trace needs, from the middle of the grid; their counts are
    /// scaled to the grid. What the kernel computes is lost.
    sample
};
/// Of the launches from here on; Detail::counts is the default.
void set_detail(Detail detail);
/// As set.
[[nodiscard]] Detail detail();

/// Seeds the order in which the warps of a block and the lanes of a warp run; 0 is ascending. A
/// kernel that misses a barrier goes wrong in some order.
void set_lane_order(std::uint64_t seed);

} // namespace cpu_device
