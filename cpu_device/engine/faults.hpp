/// \file
/// Reports of what a kernel did wrong.
#pragma once

#include <csignal>
#include <cstddef>
#include <vector>

namespace cpu_device {

/// Exit status after a fault.
inline constexpr int fault_status = 6;

/// Has the signals of bad accesses and divisions reported. Once a process.
void install_fault_handlers();
/// Has the calling thread report an overflow of its stack on another one, `stack`, until it gives
/// what this returns, the one that it had for signals before, to sigaltstack().
stack_t prepare_thread_for_faults(std::vector<std::byte>& stack);

} // namespace cpu_device
