/// \file
/// Makes one program of a reader's files; cpu/ and gpu/ each have their way.
#pragma once

#include "own_program/options.hpp"

#include <filesystem>
#include <string>

namespace own_program {

/// Compiles and links what is requested into `program`, with all that is needed in between in
/// `scratch`. Throws Refused, after what the compiler says on standard error, if that cannot be
/// done.
void compile(const Request& request, const std::filesystem::path& program,
             const std::filesystem::path& scratch);

/// Why there is no `program` where a compiler or linker says `messages` and fails: on a full disk
/// the reader's files are not at fault, which has another status.
[[nodiscard]] Refused why_none(const std::string& messages, const std::filesystem::path& program);

} // namespace own_program
