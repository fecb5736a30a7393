/// \file
/// Allocation, and what the runtime knows about a pointer and about pages of managed memory.
#include "core/memory.hpp"
#include "core/arena.hpp"
#include "core/devices.hpp"
#include "core/immortal.hpp"
#include "core/managed.hpp"
#include "core/recorder.hpp"
#include "cpu_device/detail/engine.hpp"
#include "cpu_device/device_limits.hpp"
#include "cpu_device/settings.hpp"
#include "runtime/runtime.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

using cpu_device::device_limits;
using cpu_device::ManagedPages;
using cpu_device::Operation;
using cpu_device::PageState;
using cpu_device::set_error;

namespace {

cudaError_t allocate(cpu_device::PointerPlace to, std::size_t bytes, cudaMemoryType kind,
                     int device = cpu_device::current_device(), const void* call = nullptr,
                     std::size_t pitch = 0)
{
    if (to.place == nullptr)
        return set_error(cudaErrorInvalidValue);
    *to.place = nullptr;
    if (bytes == 0)
        return cudaSuccess;
    *to.place = cpu_device::arena().allocate(bytes, kind, device, call, pitch);
    return set_error(*to.place == nullptr ? cudaErrorMemoryAllocation : cudaSuccess);
}

/// `waits` for all work before.
cudaError_t release(void* pointer, bool host, const void* call, bool waits = true)
{
    if (pointer == nullptr || cpu_device::in_kernel()) // by a parameter's destructor: launch_call()
        return cudaSuccess;
    const auto found = cpu_device::nearest_allocation(pointer);
    waits&& cpu_device::settings().watchful
        ? cpu_device::record_wait(
              {.bytes = found ? found->bytes : 0, .label = host ? "cudaFreeHost" : "cudaFree"})
        : cpu_device::forget_unfinished();
    if (!found || (found->kind == cudaMemoryTypeHost) != host ||
        !cpu_device::arena().release(pointer, call))
        return set_error(cudaErrorInvalidValue,
                         found && found->freed ? "this memory is freed already" : nullptr);
    return cudaSuccess;
}

static_assert(PageState::nowhere == cudaInvalidDeviceId);

/// True if all of the range is in one live managed allocation.
bool is_managed(const void* pointer, std::size_t bytes)
{
    const auto found = cpu_device::find_allocation(pointer);
    return bytes > 0 && found && found->kind == cudaMemoryTypeManaged &&
           found->contains(reinterpret_cast<std::uintptr_t>(pointer), bytes);
}

/// Allocates rows that begin at multiples of the device's alignment.
cudaError_t allocate_rows(cudaPitchedPtr* pointer, cudaExtent extent, const void* call)
{
    if (pointer == nullptr || extent.width > device_limits.max_pitch)
        return set_error(cudaErrorInvalidValue);
    const std::size_t pitch = cpu_device::round_up(extent.width, device_limits.pitch_alignment);
    *pointer = make_cudaPitchedPtr(nullptr, pitch, extent.width, extent.height);
    constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
    if (pitch == 0 || extent.height == 0 || extent.depth == 0)
        return cudaSuccess;
    if (extent.height > most / pitch || extent.depth > most / (pitch * extent.height))
        return set_error(cudaErrorMemoryAllocation);
    return allocate(&pointer->ptr, pitch * extent.height * extent.depth, cudaMemoryTypeDevice,
                    cpu_device::current_device(), call, pitch);
}

bool is_place(int device)
{
    return cpu_device::is_device(device) || device == cudaCpuDeviceId;
}

/// The number of the device that a place of CUDA 13 means; none if it means no place.
std::optional<int> device_of(cudaMemLocation location)
{
    if (location.type == cudaMemLocationTypeDevice)
        return location.id;
    return location.type == cudaMemLocationTypeHost ? std::optional(cudaCpuDeviceId) : std::nullopt;
}

void apply(PageState& state, cudaMemoryAdvise advice, int device)
{
    if (advice == cudaMemAdviseSetReadMostly)
        state.read_mostly = true;
    else if (advice == cudaMemAdviseSetPreferredLocation)
        state.preferred = device;
    else if (device != cudaCpuDeviceId) // the host finds its pages itself
        state.accessed_by_device = true;
}

} // namespace

cudaError_t cudaMalloc(cpu_device::PointerPlace pointer, std::size_t bytes)
{
    return allocate(pointer, bytes, cudaMemoryTypeDevice, cpu_device::current_device(),
                    __builtin_return_address(0));
}

cudaError_t cudaFree(void* pointer)
{
    return release(pointer, false, __builtin_return_address(0));
}

cudaError_t cudaHostAlloc(cpu_device::PointerPlace pointer, std::size_t bytes, unsigned flags)
{
    constexpr unsigned known =
        cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
    if ((flags & ~known) != 0)
        return set_error(cudaErrorInvalidValue);
    return allocate(pointer, bytes, cudaMemoryTypeHost);
}

cudaError_t cudaFreeHost(void* pointer)
{
    return release(pointer, true, __builtin_return_address(0));
}

cudaError_t cudaHostRegister(void* pointer, std::size_t bytes, unsigned)
{
    if (pointer == nullptr || bytes == 0)
        return set_error(cudaErrorInvalidValue);
    if (!cpu_device::arena().adopt(pointer, bytes))
        return set_error(cudaErrorHostMemoryAlreadyRegistered);
    cpu_device::record({.kind = Operation::Kind::host_work,
                        .bytes = bytes,
                        .host_rate = Operation::HostRate::page_locking,
                        .label = "lock pages"});
    return cudaSuccess;
}

cudaError_t cudaHostUnregister(void* pointer)
{
    if (pointer == nullptr)
        return set_error(cudaErrorInvalidValue);
    const auto found = cpu_device::nearest_allocation(pointer);
    if (!cpu_device::arena().disown(pointer))
        return set_error(cudaErrorHostMemoryNotRegistered);
    cpu_device::record({.kind = Operation::Kind::host_work,
                        .bytes = found->bytes,
                        .host_rate = Operation::HostRate::page_unlocking,
                        .label = "unlock pages"});
    return cudaSuccess;
}

cudaError_t cudaHostGetDevicePointer(cpu_device::PointerPlace device_pointer, void* host_pointer,
                                     unsigned flags)
{
    const auto found = cpu_device::find_allocation(host_pointer);
    if (device_pointer.place == nullptr || flags != 0 || !found ||
        found->kind == cudaMemoryTypeDevice)
        return set_error(cudaErrorInvalidValue);
    *device_pointer.place = host_pointer;
    return cudaSuccess;
}

cudaError_t cudaMallocManaged(cpu_device::PointerPlace pointer, std::size_t bytes, unsigned flags)
{
    if (bytes == 0 || (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost))
        return set_error(cudaErrorInvalidValue);
    return allocate(pointer, bytes, cudaMemoryTypeManaged, cpu_device::current_device(),
                    __builtin_return_address(0));
}

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream)
{
    // A graph's memory stays: the graph may be launched again.
    if (cpu_device::is_capturing(stream))
        return cpu_device::in_stream(stream, cudaGraphNodeTypeMemFree, [] {});
    return release(pointer, false, __builtin_return_address(0), false);
}

cudaError_t cudaMallocAsync(cpu_device::PointerPlace pointer, std::size_t bytes,
                            cudaStream_t stream)
{
    const std::optional<int> device = cpu_device::device_of(stream);
    return device ? allocate(pointer, bytes, cudaMemoryTypeDevice, *device)
                  : set_error(cudaErrorInvalidResourceHandle);
}

cudaError_t cudaMallocPitch(cpu_device::PointerPlace pointer, std::size_t* pitch, std::size_t width,
                            std::size_t height)
{
    cudaPitchedPtr result{};
    if (pointer.place == nullptr || pitch == nullptr)
        return set_error(cudaErrorInvalidValue);
    const cudaError_t status =
        allocate_rows(&result, make_cudaExtent(width, height, 1), __builtin_return_address(0));
    *pointer.place = result.ptr;
    *pitch = result.pitch;
    return status;
}

cudaError_t cudaMalloc3D(cudaPitchedPtr* pointer, cudaExtent extent)
{
    return allocate_rows(pointer, extent, __builtin_return_address(0));
}

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total)
{
    if (free == nullptr || total == nullptr)
        return set_error(cudaErrorInvalidValue);
    *total = cpu_device::device_memory_total();
    *free = cpu_device::arena().left(cpu_device::current_device());
    return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer)
{
    if (attributes == nullptr)
        return set_error(cudaErrorInvalidValue);
    auto* const address = const_cast<void*>(pointer);
    const auto found = cpu_device::find_allocation(pointer);
    if (!found)
        *attributes = {cudaMemoryTypeUnregistered, cudaInvalidDeviceId, nullptr, address};
    else
        *attributes = {found->kind, found->device, address,
                       found->kind == cudaMemoryTypeDevice ? nullptr : address};
    return cudaSuccess;
}

// --- managed memory: prefetch and advice ------------------------------------------------------
// There is one memory here, so nothing moves; what was requested is kept. All devices are one place
// for it.

cudaError_t cudaMemPrefetchAsync(const void* pointer, std::size_t bytes, int device,
                                 cudaStream_t stream)
{
    if (!is_place(device))
        return set_error(cudaErrorInvalidDevice);
    if (!is_managed(pointer, bytes))
        return set_error(cudaErrorInvalidValue);
    if (cpu_device::is_capturing(stream))
        return set_error(cudaErrorStreamCaptureUnsupported);
    return cpu_device::in_stream(stream, cudaGraphNodeTypeEmpty,
                                 [=] { cpu_device::record_prefetch(pointer, bytes, device); });
}

cudaError_t cudaMemPrefetchAsync(const void* pointer, std::size_t bytes, cudaMemLocation location,
                                 unsigned flags, cudaStream_t stream)
{
    const std::optional<int> device = device_of(location);
    if (flags != 0 || !device)
        return set_error(cudaErrorInvalidValue);
    return cudaMemPrefetchAsync(pointer, bytes, *device, stream);
}

cudaError_t cudaMemAdvise(const void* pointer, std::size_t bytes, cudaMemoryAdvise advice,
                          int device)
{
    if (advice != cudaMemAdviseSetReadMostly && !is_place(device)) // which has no place
        return set_error(cudaErrorInvalidDevice);
    const bool known = advice == cudaMemAdviseSetReadMostly ||
                       advice == cudaMemAdviseSetPreferredLocation ||
                       advice == cudaMemAdviseSetAccessedBy;
    if (!known || !is_managed(pointer, bytes))
        return set_error(cudaErrorInvalidValue);
    cpu_device::immortal<ManagedPages>().change(
        pointer, bytes, [&](PageState& state) { apply(state, advice, device); });
    return cudaSuccess;
}

cudaError_t cudaMemAdvise(const void* pointer, std::size_t bytes, cudaMemoryAdvise advice,
                          cudaMemLocation location)
{
    const std::optional<int> device = device_of(location);
    if (!device && advice != cudaMemAdviseSetReadMostly)
        return set_error(cudaErrorInvalidValue);
    return cudaMemAdvise(pointer, bytes, advice, device.value_or(0));
}
