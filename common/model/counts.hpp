/// \file
/// What the CPU device counts, by the names that this library uses; see operation.hpp.
#pragma once

#include <cpu_device/counts.hpp>

namespace common {

using cpu_device::Counts;
using cpu_device::LaunchRecord;

} // namespace common
