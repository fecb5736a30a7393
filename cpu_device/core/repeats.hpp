/// \file
/// What is known of the launches of one kernel: those behind the first may go uncounted.
#pragma once

#include "cpu_device/detail/engine.hpp"

#include <cstddef>
#include <cstdint>

namespace cpu_device {

/// What is known of the launches of one kernel with one configuration.
struct Repeats
{
    std::uint64_t launches = 0; ///< counted so far
    std::uint64_t watched = 0;  ///< of those, and of those that this began with
    std::uint64_t requests = 0; ///< of those
    std::size_t last = 0;       ///< of those, in launches()
    bool must_count = false;    ///< it must not run uncounted
    bool in_step = false;       ///< lanes of a warp depend on each other
};

/// By device, configuration and the arguments that are whole numbers. Of a program that goes on and
/// on with other arguments the first tell enough.
[[nodiscard]] Repeats& repeats_of(const LaunchConfiguration& configuration);
void forget_repeats();

} // namespace cpu_device
