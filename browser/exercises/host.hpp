/// \file
/// Where an answer's own memory lies, and what it may use besides.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cpu_device::host {

/// The answer is a module of its own in the same memory: its variables and its stack lie below this
/// module's, which the linker puts from answer_end on.
constexpr std::uintptr_t answer_begin = 1024; ///< below it only null pointers lead
constexpr std::uintptr_t answer_end = std::uintptr_t{8} << 20;

/// False of addresses that were not opened: another machine would stop whoever uses them.
[[nodiscard]] bool can_be_used(std::uintptr_t address, std::size_t bytes);

} // namespace cpu_device::host
