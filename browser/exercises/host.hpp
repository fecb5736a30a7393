/// \file
/// Where a program's own memory lies, and what it may use besides.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace cpu_device::host {

/// The program is a module of its own in the same memory: its variables and its stack lie below
/// this module's, which the linker puts from program_end on.
constexpr std::uintptr_t program_begin_address = 1024; ///< below it only null pointers lead
constexpr std::uintptr_t program_end = std::uintptr_t{64} << 20;

/// What device_addresses() tells; set before the first of them is taken. There is memory behind
/// them, which costs nothing until it is touched.
extern std::size_t addresses_of_device;

/// False of addresses that another machine would not let its user use: null pointers, and what was
/// reserved and not opened; for a kernel, also what the host has on its heap.
[[nodiscard]] bool can_be_used(std::uintptr_t address, std::size_t bytes);

/// Takes what the linker said of the program that runs next: JSON of describe() in answer.js.
void describe_program(const std::string& json);

} // namespace cpu_device::host
