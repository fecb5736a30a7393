/// \file
/// Files that are there whole or not at all.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace common {

/// A file that cannot be written. what() is a sentence that names it and the reason.
class FileError : public std::runtime_error
{
  public:
    using std::runtime_error::runtime_error;
};

/// Throws FileError unless a file can be written at `path`. Leaves no trace, and an existing file
/// as it is.
void require_writable(const std::string& path);

/// Replaces the file at `path` by `content`: written under a temporary name in the same directory,
/// then renamed. On failure throws FileError; the old file is untouched and the temporary one gone.
/// What is not a regular file (a pipe, /dev/stdout) is written to directly.
void write_atomically(const std::string& path, std::string_view content);

/// Removes the temporary file of a write that is going on, if any. Safe in a signal handler.
void remove_temporary_file() noexcept;

} // namespace common
