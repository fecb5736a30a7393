/// \file
/// What the driver does with its words: main.cpp says which there are.
#pragma once

namespace own_program {

/// Returns the exit status, unless it becomes the reader's program.
[[nodiscard]] int run_driver(int argc, char** argv);

} // namespace own_program
