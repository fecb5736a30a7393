/// \file
/// Error codes of the runtime API and the one that cudaGetLastError() returns.
#include "runtime/runtime.hpp"

#include "core/kernels.hpp"

#include <utility>

namespace {

/// A thread of the host has its own last error. A kernel's fault ends the process, so that no error
/// of the CPU device is sticky but a failed assertion's, where that is left to the program.
thread_local cudaError_t last_error = cudaSuccess;

} // namespace

namespace cpu_device {

cudaError_t keep(cudaError_t status)
{
    if (status != cudaSuccess)
        last_error = status;
    return status;
}

void set_launch_error(LaunchStatus status)
{
    switch (status) {
    case LaunchStatus::ok:
        break;
    case LaunchStatus::invalid_configuration:
        // So CUDA 13.0 on an H200, for blocks, threads and shared memory alike. Older releases say
        // cudaErrorInvalidConfiguration.
        keep(cudaErrorInvalidValue);
        break;
    case LaunchStatus::too_large_cooperative_grid:
        keep(cudaErrorCooperativeLaunchTooLarge);
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
    return std::exchange(last_error, cudaSuccess);
}

cudaError_t cudaPeekAtLastError()
{
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
