/// \file
/// What a program says about the L2 cache: checked, kept, and without effect.
#pragma once

#include "cpu_device/detail/runtime_types.hpp"

namespace cpu_device {

/// cudaSuccess for a window that CUDA would take, cudaErrorInvalidValue otherwise: no more bytes
/// than the device's limit, a hit ratio of 0 to 1, and misses that do not persist.
[[nodiscard]] cudaError_t check_access_policy(const cudaAccessPolicyWindow& window);

/// Says on standard error, once in a process, that the CPU device has no L2 cache.
void say_l2_has_no_effect();

} // namespace cpu_device
