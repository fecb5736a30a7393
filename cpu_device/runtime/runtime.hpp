/// \file
/// What the parts of the runtime API share.
#pragma once

#include "cpu_device/detail/builtins.hpp"
#include "cpu_device/detail/runtime_api.hpp"

#include <optional>

namespace cpu_device {

/// Returns `status`, and keeps an error for cudaGetLastError(). `reason`, a constant, is printed at
/// the end of a program that never calls that.
cudaError_t set_error(cudaError_t status, const char* reason = nullptr);

/// What cudaGetLastError() does, but that the program has not asked.
cudaError_t take_last_error();

/// Stores a result where the program wants it; cudaErrorInvalidValue for a null pointer.
template<class T>
cudaError_t store(T* to, T value)
{
    if (to == nullptr)
        return set_error(cudaErrorInvalidValue);
    *to = value;
    return cudaSuccess;
}

/// What a call returns that has waited for kernels: cudaErrorAssert once one has been abandoned.
cudaError_t after_waiting();

[[nodiscard]] bool is_device(int device);

/// The device of a stream, of the default streams the current one; none without that stream.
[[nodiscard]] std::optional<int> device_of(cudaStream_t stream);

[[nodiscard]] bool is_capturing(cudaStream_t stream);

/// cudaSuccess for a window that CUDA would take, cudaErrorInvalidValue otherwise: no more bytes
/// than the device's limit, a hit ratio of 0 to 1, and misses that do not persist.
[[nodiscard]] cudaError_t check_access_policy(const cudaAccessPolicyWindow& window);

/// Says on standard error, once in a process, that neither windows nor a set-aside are simulated.
void say_policies_are_not_simulated();

} // namespace cpu_device
