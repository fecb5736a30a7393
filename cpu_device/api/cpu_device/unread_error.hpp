/// \file
/// Errors of the runtime API that a program does not request.
#pragma once

#include <optional>
#include <string>

namespace cpu_device {

/// An error that a call returned, and the line that the call stands in.
struct UnreadError
{
    std::string line;     ///< "mine.cu:12" of the call; empty where nobody knows
    std::string name;     ///< "cudaErrorInvalidValue"
    std::string sentence; ///< "invalid argument", and more where more is known
};

/// The first error of a thread of the host since it last called cudaGetLastError() or
/// cudaPeekAtLastError(), but for launches: those tell of themselves at once. Any thread may ask.
[[nodiscard]] std::optional<UnreadError> unread_error();

} // namespace cpu_device
