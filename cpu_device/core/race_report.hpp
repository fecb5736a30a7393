/// \file
/// Sentences on what watched blocks have shown.
#pragma once

#include "core/races.hpp"
#include "cpu_device/detail/engine.hpp"

#include <cstdint>
#include <string>

namespace cpu_device {

/// The blocks of the grid.
[[nodiscard]] inline std::uint64_t block_count(const LaunchConfiguration& configuration)
{
    const Dimensions& grid = configuration.grid;
    return std::uint64_t{grid.x} * grid.y * grid.z;
}

/// A sentence on the first race of a launch; empty without one.
[[nodiscard]] std::string describe(const LaunchRaces& races,
                                   const LaunchConfiguration& configuration);
/// A sentence on a load of what nothing has written, or a store of what nothing has set; empty
/// without one.
[[nodiscard]] std::string describe(const UnwrittenLoad& unwritten,
                                   const LaunchConfiguration& configuration);

} // namespace cpu_device
