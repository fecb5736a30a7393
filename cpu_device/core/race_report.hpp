/// \file
/// Sentences on what watched blocks have shown.
#pragma once

#include "core/races.hpp"
#include "cpu_device/detail/engine.hpp"

#include <string>

namespace cpu_device {

/// A sentence on a race; empty without one.
[[nodiscard]] std::string describe(const Race& race, const LaunchConfiguration& configuration);
/// A sentence on a load of what nothing has written; empty without one.
[[nodiscard]] std::string describe(const UnwrittenLoad& unwritten,
                                   const LaunchConfiguration& configuration);

} // namespace cpu_device
