/// \file
/// Error codes of the runtime API and the one that cudaGetLastError() returns.
#include "runtime/runtime.hpp"

#include "core/host.hpp"
#include "core/kernels.hpp"
#include "cpu_device/unread_error.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

namespace {

/// A thread of the host has its own last error. A kernel's fault ends the process, so that no error
/// of the CPU device is sticky but a failed assertion's, where that is left to the program.
thread_local cudaError_t last_error = cudaSuccess;

/// The first one of any thread since that thread last asked. No destructor, because reports are
/// written when those of static objects have run.
struct Unread
{
    cudaError_t status = cudaSuccess;
    const char* reason = nullptr;
    std::array<std::uintptr_t, 8> callers = {}; ///< zeros behind them
    const cudaError_t* of_thread = nullptr;     ///< its last_error
};
std::mutex unread_mutex;
Unread unread;

void forget_unread()
{
    const std::lock_guard lock(unread_mutex);
    if (unread.of_thread == &last_error)
        unread = {};
}

} // namespace

namespace cpu_device {

cudaError_t keep(cudaError_t status, const char* reason)
{
    if (status == cudaSuccess)
        return status;
    last_error = status;
    const std::lock_guard lock(unread_mutex);
    if (unread.status == cudaSuccess) {
        unread = {status, reason, {}, &last_error};
        const std::vector<std::uintptr_t> callers = host::callers();
        std::copy_n(callers.begin(), std::min(callers.size(), unread.callers.size()),
                    unread.callers.begin());
    }
    return status;
}

cudaError_t take_last_error()
{
    return std::exchange(last_error, cudaSuccess);
}

std::optional<UnreadError> unread_error()
{
    const std::lock_guard lock(unread_mutex);
    if (unread.status == cudaSuccess)
        return std::nullopt;
    UnreadError error = {"", cudaGetErrorName(unread.status), cudaGetErrorString(unread.status)};
    if (unread.reason != nullptr)
        error.sentence += std::string(": ") + unread.reason;
    const auto end = std::find(unread.callers.begin(), unread.callers.end(), 0);
    error.line = host::source_line({unread.callers.begin(), end});
    return error;
}

void set_launch_error(LaunchStatus status)
{
    switch (status) {
    case LaunchStatus::ok:
        break;
    case LaunchStatus::invalid_configuration:
        // So CUDA 13.0 on an H200, for blocks, threads and shared memory alike. Older releases say
        // cudaErrorInvalidConfiguration.
        last_error = cudaErrorInvalidValue;
        break;
    case LaunchStatus::too_large_cooperative_grid:
        last_error = cudaErrorCooperativeLaunchTooLarge;
        break;
    case LaunchStatus::out_of_resources:
        last_error = cudaErrorLaunchOutOfResources;
        break;
    case LaunchStatus::abandoned:
        break; // the calls that wait for the kernel say so
    }
}

} // namespace cpu_device

cudaError_t cpu_device::after_waiting()
{
    return keep(kernel_was_abandoned() ? cudaErrorAssert : cudaSuccess);
}

cudaError_t cudaGetLastError()
{
    forget_unread();
    return cpu_device::take_last_error();
}

cudaError_t cudaPeekAtLastError()
{
    forget_unread();
    return last_error;
}

const char* cudaGetErrorName(cudaError_t error)
{
    switch (error) {
#define CPU_DEVICE_ERROR(name, value, sentence)                                                    \
    case name:                                                                                     \
        return #name;
#include "cpu_device/detail/error_codes.def"
#undef CPU_DEVICE_ERROR
    }
    return "unrecognized error code";
}

const char* cudaGetErrorString(cudaError_t error)
{
    switch (error) {
#define CPU_DEVICE_ERROR(name, value, sentence)                                                    \
    case name:                                                                                     \
        return sentence;
#include "cpu_device/detail/error_codes.def"
#undef CPU_DEVICE_ERROR
    }
    return "unrecognized error code";
}
