/// \file
/// What memory holds before anyone has written to it.
#pragma once

#include <cstdint>

namespace cpu_device {

/// What new device memory and a block's shared memory hold, repeated: a NaN as a float, a double
/// or a half, and a large negative number as an int.
inline constexpr std::uint32_t poison = 0xFFFA5A5A;

} // namespace cpu_device
