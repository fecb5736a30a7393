/// \file
/// Errors of the runtime API that a program does not request.
#pragma once

#include <optional>
#include <string>

namespace cpu_device {

/// An error that a call returned.
struct UnreadError
{
    std::string name; ///< "cudaErrorInvalidValue"
    /// Behind "call": " at mine.cu:12 returned cudaErrorInvalidValue (invalid argument)", with the
    /// line and the reason where they are known.
    std::string text;
};

/// The first error of a thread of the host since it last called cudaGetLastError() or
/// cudaPeekAtLastError(), but for launches: those tell of themselves at once. Any thread may ask.
[[nodiscard]] std::optional<UnreadError> unread_error();

} // namespace cpu_device
