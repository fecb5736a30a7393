/// \file
/// What nvcc says of the program's kernels, where it is installed.
#pragma once

#include <string>

namespace own_program {

/// The registers of a thread of the kernel, of several with that name the fewest; 0 where nvcc has
/// not compiled it.
[[nodiscard]] int registers_of(const std::string& kernel);

/// Of the atomics that the lanes of a launch request, the share that its warps do where one lane
/// adds for all that come to the same line (combined_atomics()).
[[nodiscard]] double atomics_left(const Accesses& accesses);

} // namespace own_program
