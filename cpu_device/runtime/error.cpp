/// \file
/// Error codes of the runtime API and the one that cudaGetLastError() returns.
#include "runtime/runtime.hpp"

#include "core/host.hpp"
#include "core/immortal.hpp"
#include "core/kernels.hpp"
#include "cpu_device/launches.hpp"
#include "cublas_v2.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <mutex>
#include <utility>
#include <vector>

namespace {

/// A thread of the host has its own last error. A kernel's fault ends the process, so that no error
/// of the CPU device is sticky but a failed assertion's, where that is left to the program.
thread_local cudaError_t last_error = cudaSuccess;

/// The first one of any thread since that thread last asked.
struct Unread
{
    std::mutex mutex;
    cudaError_t status = cudaSuccess;
    const char* reason = nullptr;
    std::vector<std::uintptr_t> callers;
    const cudaError_t* of_thread = nullptr; ///< its last_error
    bool before_launch = false;             ///< a kernel has been launched since
};

struct Text
{
    cudaError_t error;
    const char* name;
    const char* sentence;
};

Text text_of(cudaError_t error)
{
    static constexpr Text texts[] = {
#define CPU_DEVICE_ERROR(name, value, sentence) {name, #name, sentence},
#include "cpu_device/detail/error_codes.def"
#undef CPU_DEVICE_ERROR
    };
    const auto* const known = std::ranges::find(texts, error, &Text::error);
    constexpr const char* unknown = "unrecognized error code";
    return known == std::end(texts) ? Text{error, unknown, unknown} : *known;
}

/// The program reads its last error. After a launch it may take that for the kernel's.
void forget_unread()
{
    auto& unread = cpu_device::immortal<Unread>();
    std::unique_lock lock(unread.mutex);
    if (unread.of_thread != &last_error)
        return;
    if (unread.before_launch && unread.status != cudaSuccess && unread.status == last_error) {
        lock.unlock();
        std::fprintf(
            stderr,
            "The error that cudaGetLastError() returns is not the last kernel's: before its "
            "launch, the call%s.\n",
            cpu_device::unread_error()->text.c_str());
        lock.lock();
    }
    unread.status = cudaSuccess;
}

} // namespace

namespace cpu_device {

cudaError_t set_error(cudaError_t status, const char* reason)
{
    if (status == cudaSuccess)
        return status;
    last_error = status;
    auto& unread = immortal<Unread>();
    const std::lock_guard lock(unread.mutex);
    if (unread.status == cudaSuccess) {
        unread.status = status;
        unread.reason = reason;
        unread.callers = host::callers();
        unread.of_thread = &last_error;
        unread.before_launch = false;
    }
    return status;
}

cudaError_t take_last_error()
{
    return std::exchange(last_error, cudaSuccess);
}

std::optional<UnreadError> unread_error()
{
    auto& unread = immortal<Unread>();
    const std::lock_guard lock(unread.mutex);
    if (unread.status == cudaSuccess)
        return std::nullopt;
    const auto [error, name, sentence] = text_of(unread.status);
    const std::string line = host::source_line(unread.callers);
    const std::string why = unread.reason == nullptr ? "" : std::string(": ") + unread.reason;
    return UnreadError{name, (line.empty() ? "" : " at " + line) + " returned " + name + " (" +
                                 sentence + why + ")"};
}

void refuse_library_call(const char* name, const char* file, int line)
{
    constexpr int no_gpu = 4; // exit status, as ./run has it
    std::fflush(stdout);
    std::fputs(
        (std::string(file) + ":" + std::to_string(line) + ": " + name +
         "() runs on a GPU only: the CPU device has this library's types and handles, but "
         "none of its computations. Leave the call out, or write a kernel of your own in its "
         "place.\n")
            .c_str(),
        stderr);
    std::fflush(stderr);
    std::_Exit(no_gpu);
}

void set_launch_error(LaunchStatus status)
{
    {
        auto& unread = immortal<Unread>();
        const std::lock_guard lock(unread.mutex);
        unread.before_launch = status == LaunchStatus::ok;
    }
    if (status == LaunchStatus::invalid_configuration)
        // So CUDA 13.0 on an H200, for blocks, threads and shared memory alike. Older releases say
        // cudaErrorInvalidConfiguration.
        last_error = cudaErrorInvalidValue;
    else if (status == LaunchStatus::too_large_cooperative_grid)
        last_error = cudaErrorCooperativeLaunchTooLarge;
    else if (status == LaunchStatus::out_of_resources)
        last_error = cudaErrorLaunchOutOfResources;
    // Of one that was abandoned the calls that wait for the kernel say so.
}

} // namespace cpu_device

cudaError_t cpu_device::after_waiting()
{
    return set_error(kernel_was_abandoned() ? cudaErrorAssert : cudaSuccess);
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
    return text_of(error).name;
}

const char* cudaGetErrorString(cudaError_t error)
{
    return text_of(error).sentence;
}
