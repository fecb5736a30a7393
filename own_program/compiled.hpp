/// \file
/// What nvcc says of the program's kernels, where it is installed.
#pragma once

#include <string>

namespace own_program {

/// The registers of a thread of the kernel, at most; 0 where nvcc has not compiled it.
[[nodiscard]] int registers_of(const std::string& kernel);

} // namespace own_program
