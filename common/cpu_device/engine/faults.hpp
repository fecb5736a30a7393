/// \file
/// Reports of what a kernel did wrong.
#pragma once

namespace cpu_device {

/// Exit status after a fault.
inline constexpr int fault_status = 6;

/// Has the signals of bad accesses and divisions reported. Once a process.
void install_fault_handlers();
/// Gives the calling thread a stack to report a stack overflow on. Once a thread is enough.
void prepare_thread_for_faults();

} // namespace cpu_device
