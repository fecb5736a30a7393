/// \file
/// What an instruction does with memory.
#pragma once

#include <cstdint>

namespace cpu_device {

/// A load and a store of one address by one instruction is an atomic.
enum class Access : std::uint8_t
{
    load,
    store,
    atomic
};

} // namespace cpu_device
