/// \file
/// Managed memory: prefetch and advice. There is one memory here, so nothing moves; what was asked
/// for is kept. All devices are one place for it.
#include "core/managed.hpp"
#include "core/allocations.hpp"
#include "core/recorder.hpp"
#include "runtime/runtime.hpp"

#include <algorithm>
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
    case cudaMemLocationTypeHostNuma:
    case cudaMemLocationTypeHostNumaCurrent:
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
    bool& accessed_by =
        device == cudaCpuDeviceId ? state.accessed_by_host : state.accessed_by_device;
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
        accessed_by = advice == cudaMemAdviseSetAccessedBy;
        break;
    }
}

/// What the pages of a range agree on.
struct Agreement
{
    bool read_mostly = true;
    bool accessed_by_host = true;
    bool accessed_by_device = true;
    std::optional<int> preferred;
    std::optional<int> prefetched;
};

Agreement agreement(const void* pointer, std::size_t bytes)
{
    Agreement all;
    const auto merge = [](std::optional<int>& common, int value) {
        common = common.value_or(value) == value ? value : cudaInvalidDeviceId;
    };
    ManagedPages::instance().look(pointer, bytes, [&](const PageState& state) {
        all.read_mostly &= state.read_mostly;
        all.accessed_by_host &= state.accessed_by_host;
        all.accessed_by_device &= state.accessed_by_device;
        merge(all.preferred, state.preferred);
        merge(all.prefetched, state.prefetched);
    });
    return all;
}

cudaMemLocationType type_of(int device)
{
    if (device == cudaInvalidDeviceId)
        return cudaMemLocationTypeInvalid;
    return device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
}

/// The devices of a range, padded with cudaInvalidDeviceId to the room there is.
cudaError_t list_accessed_by(const Agreement& all, int* list, std::size_t room)
{
    if (room == 0)
        return cudaErrorInvalidValue;
    std::fill_n(list, room, cudaInvalidDeviceId);
    if (all.accessed_by_device)
        *list++ = 0;
    if (all.accessed_by_host && room > (all.accessed_by_device ? 1U : 0U))
        *list = cudaCpuDeviceId;
    return cudaSuccess;
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

cudaError_t cudaMemRangeGetAttribute(void* data, std::size_t data_bytes,
                                     cudaMemRangeAttribute attribute, const void* pointer,
                                     std::size_t bytes)
{
    if (data == nullptr || !is_managed(pointer, bytes))
        return keep(cudaErrorInvalidValue);
    const Agreement all = agreement(pointer, bytes);
    auto* const value = static_cast<int*>(data);
    if (attribute == cudaMemRangeAttributeAccessedBy && data_bytes % sizeof(int) == 0)
        return keep(list_accessed_by(all, value, data_bytes / sizeof(int)));
    if (data_bytes != sizeof(int))
        return keep(cudaErrorInvalidValue);
    switch (attribute) {
    case cudaMemRangeAttributeReadMostly:
        *value = all.read_mostly ? 1 : 0;
        return cudaSuccess;
    case cudaMemRangeAttributePreferredLocation:
    case cudaMemRangeAttributePreferredLocationId:
        *value = *all.preferred;
        return cudaSuccess;
    case cudaMemRangeAttributeLastPrefetchLocation:
    case cudaMemRangeAttributeLastPrefetchLocationId:
        *value = *all.prefetched;
        return cudaSuccess;
    case cudaMemRangeAttributePreferredLocationType:
        *value = type_of(*all.preferred);
        return cudaSuccess;
    case cudaMemRangeAttributeLastPrefetchLocationType:
        *value = type_of(*all.prefetched);
        return cudaSuccess;
    default:
        return keep(cudaErrorInvalidValue);
    }
}

cudaError_t cudaMemRangeGetAttributes(void** data, std::size_t* data_bytes,
                                      cudaMemRangeAttribute* attributes, std::size_t count,
                                      const void* pointer, std::size_t bytes)
{
    if (data == nullptr || data_bytes == nullptr || attributes == nullptr || count == 0)
        return keep(cudaErrorInvalidValue);
    for (std::size_t i = 0; i < count; ++i)
        if (const cudaError_t status =
                cudaMemRangeGetAttribute(data[i], data_bytes[i], attributes[i], pointer, bytes);
            status != cudaSuccess)
            return status;
    return cudaSuccess;
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void* pointer, std::size_t bytes,
                                     unsigned flags)
{
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost && flags != cudaMemAttachSingle)
        return keep(cudaErrorInvalidValue);
    if (!is_managed(pointer, bytes == 0 ? 1 : bytes)) // 0 is the whole allocation
        return keep(cudaErrorInvalidValue);
    return cpu_device::in_stream(stream, cudaGraphNodeTypeEmpty, [] {});
}
