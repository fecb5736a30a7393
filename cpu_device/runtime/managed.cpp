/// \file
/// Managed memory: prefetch and advice. There is one memory here, so nothing moves; what was
/// requested is kept. All devices are one place for it.
#include "core/managed.hpp"
#include "core/allocations.hpp"
#include "core/recorder.hpp"
#include "runtime/runtime.hpp"

#include <functional>
#include <optional>

using cpu_device::Allocation;
using cpu_device::keep;
using cpu_device::ManagedPages;
using cpu_device::PageState;

namespace {

static_assert(PageState::nowhere == cudaInvalidDeviceId);

/// True if all of the range is in one live managed allocation.
bool is_managed(const void* pointer, std::size_t bytes)
{
    const auto* byte = static_cast<const std::byte*>(pointer);
    Allocation found;
    return bytes > 0 && cpu_device::find_allocation(pointer, found) && !found.freed &&
           found.kind == cudaMemoryTypeManaged && std::less_equal<>()(found.address, byte) &&
           std::less<>()(byte, found.address + found.bytes) &&
           bytes <= static_cast<std::size_t>(found.address + found.bytes - byte);
}

cudaError_t check_place(int device)
{
    return cpu_device::is_device(device) || device == cudaCpuDeviceId ? cudaSuccess
                                                                      : cudaErrorInvalidDevice;
}

/// The number of the device that a place of CUDA 13 means; none if it means no place.
std::optional<int> device_of(cudaMemLocation location)
{
    switch (location.type) {
    case cudaMemLocationTypeDevice:
        return location.id;
    case cudaMemLocationTypeHost:
        return cudaCpuDeviceId;
    default:
        return std::nullopt;
    }
}

/// True for advice that says the same whatever its place.
bool ignores_place(cudaMemoryAdvise advice)
{
    return advice == cudaMemAdviseSetReadMostly || advice == cudaMemAdviseUnsetReadMostly ||
           advice == cudaMemAdviseUnsetPreferredLocation;
}

void apply(PageState& state, cudaMemoryAdvise advice, int device)
{
    switch (advice) {
    case cudaMemAdviseSetReadMostly:
    case cudaMemAdviseUnsetReadMostly:
        state.read_mostly = advice == cudaMemAdviseSetReadMostly;
        break;
    case cudaMemAdviseSetPreferredLocation:
        state.preferred = device;
        break;
    case cudaMemAdviseUnsetPreferredLocation:
        state.preferred = cudaInvalidDeviceId;
        break;
    case cudaMemAdviseSetAccessedBy:
    case cudaMemAdviseUnsetAccessedBy:
        if (device != cudaCpuDeviceId) // the host finds its pages itself
            state.accessed_by_device = advice == cudaMemAdviseSetAccessedBy;
        break;
    }
}

} // namespace

cudaError_t cudaMemPrefetchAsync(const void* pointer, std::size_t bytes, int device,
                                 cudaStream_t stream)
{
    if (const cudaError_t status = check_place(device); status != cudaSuccess)
        return keep(status);
    if (!is_managed(pointer, bytes))
        return keep(cudaErrorInvalidValue);
    if (cpu_device::is_capturing(stream))
        return keep(cudaErrorStreamCaptureUnsupported);
    return cpu_device::in_stream(stream, cudaGraphNodeTypeEmpty,
                                 [=] { cpu_device::record_prefetch(pointer, bytes, device); });
}

cudaError_t cudaMemPrefetchAsync(const void* pointer, std::size_t bytes, cudaMemLocation location,
                                 unsigned flags, cudaStream_t stream)
{
    const std::optional<int> device = device_of(location);
    if (flags != 0 || !device)
        return keep(cudaErrorInvalidValue);
    return cudaMemPrefetchAsync(pointer, bytes, *device, stream);
}

cudaError_t cudaMemAdvise(const void* pointer, std::size_t bytes, cudaMemoryAdvise advice,
                          int device)
{
    if (advice < cudaMemAdviseSetReadMostly || advice > cudaMemAdviseUnsetAccessedBy)
        return keep(cudaErrorInvalidValue);
    if (!ignores_place(advice))
        if (const cudaError_t status = check_place(device); status != cudaSuccess)
            return keep(status);
    if (!is_managed(pointer, bytes))
        return keep(cudaErrorInvalidValue);
    ManagedPages::instance().change(pointer, bytes,
                                    [&](PageState& state) { apply(state, advice, device); });
    return cudaSuccess;
}

cudaError_t cudaMemAdvise(const void* pointer, std::size_t bytes, cudaMemoryAdvise advice,
                          cudaMemLocation location)
{
    const std::optional<int> device = device_of(location);
    if (!device && !ignores_place(advice))
        return keep(cudaErrorInvalidValue);
    return cudaMemAdvise(pointer, bytes, advice, device.value_or(0));
}
