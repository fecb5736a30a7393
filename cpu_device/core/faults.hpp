/// \file
/// Reports of what a kernel did wrong.
#pragma once

#include <cstdint>

namespace cpu_device {

/// Exit status after a fault.
inline constexpr int fault_status = 6;

/// Ends the process if a kernel, or host code in device memory, has used an address that the
/// processor refuses. `verb` is "reads from ", "writes to " or "uses ". Else returns.
void report_bad_access(std::uintptr_t address, const char* verb);
/// Ends the process if a kernel has divided an integer by zero. Else returns.
void report_bad_division();

} // namespace cpu_device
