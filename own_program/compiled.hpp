/// \file
/// What nvcc made of the program's kernels, where it is installed.
#pragma once

#include "own_program/accesses.hpp"
#include "own_program/executions.hpp"

#include <cpu_device/counts.hpp>

#include <string>

namespace own_program {

/// The registers of a thread of the kernel, at most; 0 where nvcc has not compiled it.
[[nodiscard]] int registers_of(const std::string& kernel);

/// What all warps of a launch execute, as its accesses tell; nothing where nobody knows.
[[nodiscard]] Executed executed_in(const cpu_device::LaunchRecord& launch,
                                   const Accesses& accesses);

} // namespace own_program
