/// \file
/// The terminal: its width, and the line that says what is going on.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

namespace common {

/// Columns of the terminal behind standard output, 100 where it does not tell; 200 where standard
/// output is a file or a pipe.
[[nodiscard]] std::size_t output_width();
/// Columns of running text at most: a longer line of words is hard to read.
inline constexpr std::size_t readable_width = 120;
/// Columns of running text on that terminal.
[[nodiscard]] inline std::size_t text_width()
{
    return std::min(output_width(), readable_width);
}

/// A line on standard error that is rewritten in place, without escape sequences; nothing where
/// that is no terminal or a dumb one (TERM=dumb).
class Progress
{
  public:
    Progress() = default;
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;
    ~Progress() { clear(); }

    /// Shows `text`, cut to the terminal's width.
    void show(const std::string& text);
    /// Takes the line away.
    void clear();
};

/// From here on: Ctrl-C and SIGTERM leave no temporary file and no half-drawn line; a reader that
/// closes a pipe, or a file that grows past `ulimit -f`, is an error of the write and no signal; an
/// exception that nobody catches prints its sentence and ends the program with status 5.
void install_handlers();

/// Words that somebody typed, which may hold an escape sequence: control characters are question
/// marks, but for ends of lines.
[[nodiscard]] std::string printable(std::string words);

/// Sets the prefix of what end_program() prints, such as "Rank 1: " if several processes print to
/// one terminal, and a function that it calls, or null: `end` may end the other processes too.
void set_message_prefix(std::string prefix, void (*end)(int status));

/// Prints `message`, printable, as one line on standard error, and ends the program with `status`.
/// Removes the progress line and any temporary file first.
[[noreturn]] void end_program(int status, const std::string& message);

/// Writes `text` to standard output and flushes it; false if that failed.
[[nodiscard]] bool print(const std::string& text);

} // namespace common
