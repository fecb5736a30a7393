/// \file
/// Which sources a program was built from.
#pragma once

namespace common {

/// The commit of this repository, "-dirty" appended when files differed, or "unknown". A build
/// defines it, in a file of its own (cmake/Commit.cmake): only that is compiled anew when the
/// commit is another.
extern const char commit[];

} // namespace common
