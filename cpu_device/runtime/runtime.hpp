/// \file
/// What the parts of the runtime API share.
#pragma once

#include "cpu_device/detail/builtins.hpp"
#include "cpu_device/detail/runtime_api.hpp"

#include <optional>

namespace cpu_device {

/// Returns `status`, after keeping it for cudaGetLastError() if it is an error. The `reason`, a
/// constant, is what a program is told that never asks.
cudaError_t keep(cudaError_t status, const char* reason = nullptr);

/// What cudaGetLastError() does, but that the program has not asked.
cudaError_t take_last_error();

/// Writes what a program requests to its place; cudaErrorInvalidValue if it has none.
template<class T>
cudaError_t answer(T* to, T value)
{
    if (to == nullptr)
        return keep(cudaErrorInvalidValue);
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
