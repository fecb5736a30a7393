#include "common/device/check.hpp"

#include "common/text/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace common {

namespace {

struct Remedy
{
    std::string_view error;
    std::string_view text;
};

/// Keyed by name, because no release of CUDA defines every code of every other.
constexpr std::array remedies = {
    Remedy{"cudaErrorInvalidConfiguration",
           "A block has at most 1024 threads, a grid at least one block, and both stay within the "
           "device's shared memory; check the numbers between <<< and >>>."},
    Remedy{"cudaErrorNoDevice",
           "`nvidia-smi` lists the GPUs that the driver sees; `./run --device cpu` needs none."},
    Remedy{"cudaErrorIllegalAddress",
           "A kernel accessed an address outside its arrays; `compute-sanitizer PROGRAM` names the "
           "line and the thread."},
    Remedy{"cudaErrorMisalignedAddress",
           "An address must be a multiple of the access's size, 16 bytes for float4; "
           "`compute-sanitizer PROGRAM` names the line and the thread."},
    Remedy{"cudaErrorLaunchFailure",
           "A kernel faulted; `compute-sanitizer PROGRAM` names the line and the thread."},
    Remedy{"cudaErrorAssert", "An assert in a kernel failed; its text is above."},
    Remedy{"cudaErrorInsufficientDriver",
           "The driver is older than the toolkit this was built with; update the driver, or build "
           "with an older toolkit."},
    Remedy{"cudaErrorUnsupportedPtxVersion",
           "The driver is older than the toolkit this was built with; update the driver, or build "
           "with an older toolkit."},
    Remedy{"cudaErrorSystemDriverMismatch",
           "The driver was updated under the running system; restart the machine."},
    Remedy{"cudaErrorNoKernelImageForDevice",
           "The kernels were not compiled for this GPU's architecture; build again on this "
           "machine."},
    Remedy{"cudaErrorLaunchOutOfResources",
           "The kernel needs more registers than a block of this size can have; launch fewer "
           "threads per block."},
    Remedy{"cudaErrorLaunchTimeout",
           "The kernel exceeded the time limit of a GPU that drives a display; use a smaller --n."},
    Remedy{"cudaErrorInvalidValue",
           "An argument is out of range: a null or foreign pointer, memory that was freed, a size "
           "past the end of its allocation; or, of a launch, more threads, blocks or shared memory "
           "than the device allows."},
    Remedy{"cudaErrorInvalidResourceHandle",
           "The stream or event was never created, was already destroyed, or is another device's."},
    Remedy{"cudaErrorInvalidDevicePointer",
           "The pointer did not come from cudaMalloc, or was already freed."},
    Remedy{"cudaErrorDevicesUnavailable",
           "Another process holds the GPU exclusively; `nvidia-smi` shows which."},
    Remedy{"cudaErrorNotSupported", "This device does not support the operation."},
};

/// An out-of-memory is only helped by numbers, which the runtime has of the device alone.
std::string memory_remedy(std::string_view call)
{
    if (call.find("Host") != std::string_view::npos)
        return "The host does not have that much free memory; try a smaller --n.";
    std::size_t available = 0;
    std::size_t total = 0;
    if (cudaMemGetInfo(&available, &total) != cudaSuccess)
        return "Try a smaller --n.";
    return fmt::format("{} of the device's {} are free; try a smaller --n.",
                       format_bytes(available), format_bytes(total));
}

std::string remedy(cudaError_t status, std::string_view what)
{
    const std::string_view name = cudaGetErrorName(status);
    if (name == "cudaErrorMemoryAllocation")
        return memory_remedy(what);
    const auto found = std::find_if(remedies.begin(), remedies.end(),
                                    [&](const Remedy& entry) { return entry.error == name; });
    return found == remedies.end() ? "" : std::string(found->text);
}

/// The file's name with its directory: enough to find it, short enough for a sentence.
std::string_view short_path(std::string_view path)
{
    const std::size_t name = path.rfind('/');
    if (name == std::string_view::npos || name == 0)
        return path;
    const std::size_t directory = path.rfind('/', name - 1);
    return directory == std::string_view::npos ? path : path.substr(directory + 1);
}

} // namespace

void throw_cuda_error(cudaError_t status, const std::string& what, const std::string& where)
{
    const std::string advice = remedy(status, what);
    throw CudaError(status,
                    fmt::format("{}{} failed: {} ({}).{}{}", what,
                                where.empty() ? "" : " at " + where, cudaGetErrorName(status),
                                cudaGetErrorString(status), advice.empty() ? "" : " ", advice));
}

void check(cudaError_t status, const char* call, const char* file, int line)
{
    if (status != cudaSuccess)
        throw_cuda_error(status, call, fmt::format("{}:{}", short_path(file), line));
}

void check_launch(const std::string& what)
{
    if (const cudaError_t status = cudaGetLastError(); status != cudaSuccess)
        throw_cuda_error(status, what, "");
}

} // namespace common
