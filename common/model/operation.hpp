/// \file
/// What a program asks of the runtime API, by the name that this library uses. The type is plain
/// C++ and belongs to the CPU device; on a GPU build its folder of CUDA headers is not searched, so
/// it is named by its path.
#pragma once

#include <cpu_device/operation.hpp>

namespace common {

using cpu_device::Operation;

} // namespace common
