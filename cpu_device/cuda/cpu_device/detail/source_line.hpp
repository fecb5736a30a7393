/// \file
/// Where in a source something is called.
#pragma once

namespace cpu_device {

/// A line of a kernel's source. As a default argument it is the line of the call. Two barriers are
/// the same one when they stand on the same line: compilers duplicate calls, so that a return
/// address would not do.
struct SourceLine
{
    const char* file = "";
    int line = 0;
    [[nodiscard]] static constexpr SourceLine here(const char* file = __builtin_FILE(),
                                                   int line = __builtin_LINE())
    {
        return {file, line};
    }
};

} // namespace cpu_device

/// The last parameter of what a kernel calls.
#define CPU_DEVICE_WHERE cpu_device::SourceLine where = cpu_device::SourceLine::here()
