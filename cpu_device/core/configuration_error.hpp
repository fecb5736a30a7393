/// \file
/// What is wrong with the configuration of a launch.
#pragma once

#include "cpu_device/detail/engine.hpp"

#include <string>

namespace cpu_device {

struct ConfigurationError
{
    std::string text; ///< the end of a sentence; empty if nothing is wrong
    LaunchStatus status = LaunchStatus::invalid_configuration;
};

[[nodiscard]] ConfigurationError configuration_error(const LaunchConfiguration& configuration);

} // namespace cpu_device
