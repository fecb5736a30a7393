/// \file
/// What is said of launches that take long, or for ever.
#pragma once

#include "cpu_device/detail/engine.hpp"

#include <atomic>
#include <cstdint>

namespace cpu_device {

/// Advises on, or beyond Settings::patience ends, a block whose threads have done nothing for
/// `seconds` but use `address` and few others, by the instruction at `pc`. Called for the thread
/// that does.
void report_spin(std::uintptr_t pc, std::uintptr_t address, double seconds);

/// While one lives, a launch runs; where that takes longer than Settings::patience, standard error
/// says so, again and again, with how far it is. Where Settings::watchful requests it, so it does
/// of many short ones.
class StillRunning
{
  public:
    explicit StillRunning(const LaunchConfiguration& configuration);
    ~StillRunning();
    StillRunning& operator=(StillRunning&&) = delete;
};

/// What runs now: of a thread of a kernel, its own launch.
[[nodiscard]] const LaunchConfiguration& running_configuration();

/// From here on the blocks before `next` of the launch's `blocks` have begun; null when `next`
/// ends.
void note_progress(const std::atomic<std::uint64_t>* next, std::uint64_t blocks = 0);

} // namespace cpu_device
