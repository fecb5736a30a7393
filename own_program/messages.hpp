/// \file
/// What a compiler or linker says of a reader's program, in as few lines as help.
#pragma once

#include <string>
#include <vector>

namespace own_program {

/// What CUDA has and the CPU device has not.
struct Gap
{
    const char* names;    ///< an extended regular expression, of the whole name
    const char* sentence; ///< in which NAME is the name
};

/// All of them; the first that fits a name is said.
[[nodiscard]] const std::vector<Gap>& gaps();

/// Of `messages`, full_disk(); else a sentence for each known gap, with file, line and remedy, at
/// most five; else the first error, at the reader's own line; else the lines that are neither an
/// error nor a note. `own` are the folders of headers that are not the reader's; `nvcc_compiles`
/// it, so that a name that is not declared is CUDA's. Lines end in '\n'.
[[nodiscard]] std::string explain(const std::string& messages, const std::vector<std::string>& own,
                                  bool nvcc_compiles = false);

/// Of `messages`, the first line that says that a disk is full; empty without one.
[[nodiscard]] std::string full_disk(const std::string& messages);

/// Of what nvcc says of a file that the CPU device runs, the first error, in a sentence; empty
/// without one.
[[nodiscard]] std::string refusal(const std::string& file, const std::string& messages);

} // namespace own_program
