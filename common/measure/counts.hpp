/// \file
/// What the CPU device counts and records, by the names that this library uses. The types are plain
/// C++ and belong to the CPU device; on a GPU build its folder of CUDA headers is not searched, so
/// they are named by their path.
#pragma once

#include "common/cpu_device/include/cpu_device/counts.hpp"
#include "common/cpu_device/include/cpu_device/operation.hpp"

namespace common {

using cpu_device::Counts;
using cpu_device::LaunchRecord;
using cpu_device::Operation;
using cpu_device::Traffic;

} // namespace common
