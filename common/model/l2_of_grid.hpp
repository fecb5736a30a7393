/// \file
/// What the L2 finds again in the whole grid of a launch, as the touches of its counted blocks
/// tell.
#pragma once

#include "common/model/card.hpp"

#include <cpu_device/counts.hpp>
#include <cpu_device/trace.hpp>

#include <cstdint>

namespace common {

/// Rounds of a loop whose loads go out together: the compiler unrolls it so far.
inline constexpr unsigned unrolled = 4;

/// DRAM is read so many sectors at a time.
inline constexpr std::uintptr_t pair_sectors = 2;
inline constexpr double pair_bytes = pair_sectors * cpu_device::Counts::sector_bytes; ///< of those

/// What the counted blocks tell of the L2 and the whole grid.
struct OfGrid
{
    double bytes = 0;       ///< that are read from DRAM, but
    double again_bytes = 0; ///< for these: for a block that had loaded them before
};

/// That of a traced launch, of whose blocks an SM holds `resident` at a time. All zero
/// where no touches were sampled.
[[nodiscard]] OfGrid l2_of_grid(const cpu_device::LaunchTrace& trace, const Card& card,
                                unsigned resident);

} // namespace common
