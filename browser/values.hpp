/// \file
/// What a thread does, access by access, and what a kernel computes that has memory behind its
/// arrays.
#pragma once

#include "browser/launches.hpp"

#include <cpu_device/access.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace figures {

using cpu_device::Access;

/// One access of one thread, or a barrier.
struct Noted
{
    /// Line and column in the source, which tell the instructions of a kernel apart.
    std::uint32_t site = 0;
    std::uint8_t bytes = 0; ///< 0: a barrier
    Access access = Access::load;
    bool shared = false;
    std::uintptr_t address = 0;
};

/// What the thread that runs now has done so far.
inline std::vector<Noted> noted;

/// How a launch with memory ended.
struct Outcome
{
    std::vector<std::vector<std::byte>> arrays; ///< as it left them
    std::string fault;                          ///< a sentence; empty without one
    unsigned fault_line = 0;                    ///< of the source
};

/// Runs the grid with arrays that hold the same numbers each time, as many bytes as Launch::arrays
/// says.
[[nodiscard]] Outcome run_with_values(const Launch& launch);

} // namespace figures
