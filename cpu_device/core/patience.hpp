/// \file
/// What is said of launches that take long, or for ever.
#pragma once

#include "cpu_device/detail/engine.hpp"

#include <cstdint>

namespace cpu_device {

/// Advises on, or beyond Settings::patience ends, a block whose threads have done nothing for
/// `seconds` but use `address` and few others, by the instruction at `pc`. Called for the thread
/// that does.
void report_spin(std::uintptr_t pc, std::uintptr_t address, double seconds);

/// While one lives, a launch runs; where that takes longer than Settings::patience, standard error
/// says so.
class StillRunning
{
  public:
    explicit StillRunning(const LaunchConfiguration& configuration);
    ~StillRunning();
    StillRunning(const StillRunning&) = delete;
    StillRunning& operator=(const StillRunning&) = delete;
};

} // namespace cpu_device
