/// \file
/// What a program asks the L2 cache to keep: checked and remembered, and not simulated.
#pragma once

#include "cpu_device/detail/runtime_types.hpp"

namespace cpu_device {

/// cudaSuccess for a window that CUDA would take, cudaErrorInvalidValue otherwise: no more bytes
/// than the device's limit, a hit ratio of 0 to 1, and misses that do not persist.
[[nodiscard]] cudaError_t check_access_policy(const cudaAccessPolicyWindow& window);

/// Says on standard error, once in a process, that neither windows nor a set-aside are simulated.
void say_policies_are_not_simulated();

} // namespace cpu_device
