/// \file
/// What nvcc's PTX tells of a kernel.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace own_program {

/// The lines, "mine.cu:12", of atomic additions of one value to one address by all threads of a
/// kernel: of each warp one lane adds for all that come there, as the assembler makes of them. The
/// address is an argument of the kernel, or at a distance from one that is a constant; the value is
/// a constant or an argument.
[[nodiscard]] std::vector<std::string> combined_atomics(std::string_view ptx);

} // namespace own_program
