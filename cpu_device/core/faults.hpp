/// \file
/// Reports of what a kernel did wrong.
#pragma once

#include "cpu_device/detail/engine.hpp"

#include <cstdint>
#include <string>

namespace cpu_device {

inline constexpr int fault_status = 6;

/// Ends the process if a kernel, or host code in device memory, has used an address that the
/// processor refuses. `verb` is "reads from ", "writes to " or "uses ". Else returns.
void report_bad_access(std::uintptr_t address, const char* verb);
/// Ends the process if a kernel has divided an integer by zero. Else returns.
void report_bad_division();

/// Prints one sentence on standard error that begins with kernel, block and thread, once for a
/// line: what a program relies on and CUDA does not promise. The launch's record has it, too.
void advise(SourceLine where, const std::string& what);
/// "(1, 0, 0)".
[[nodiscard]] std::string to_string(const Dimensions& index);
/// The index of a thread or a block that is known by its number.
[[nodiscard]] Dimensions unravel(std::uint64_t number, const Dimensions& size);
/// "kernel add (launched at add.cu:31)".
[[nodiscard]] std::string name_of(const LaunchConfiguration& launch);
/// " at add.cu:31" of an instruction; empty where nobody knows.
[[nodiscard]] std::string at_line(std::uintptr_t pc);
/// "kernel.cu:12".
[[nodiscard]] std::string to_string(const SourceLine& where);
/// "0x00ff" of 255, with at least four digits.
[[nodiscard]] std::string hexadecimal(std::uint64_t number, unsigned least_digits = 1);

/// Ends the process with status 6 after one sentence that begins with kernel, block and thread.
[[noreturn]] void fault(const std::string& what);

} // namespace cpu_device
