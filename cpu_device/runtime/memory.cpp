/// \file
/// Allocation, and what the runtime knows about a pointer.
#include "core/memory.hpp"
#include "core/devices.hpp"
#include "core/recorder.hpp"
#include "cpu_device/detail/engine.hpp"
#include "cpu_device/device_limits.hpp"
#include "runtime/handles.hpp"
#include "runtime/runtime.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>

using cpu_device::Allocation;
using cpu_device::device_limits;
using cpu_device::keep;

namespace {

/// Flags that host memory was allocated or registered with, for cudaHostGetFlags().
class HostFlags
{
  public:
    void set(const void* pointer, unsigned flags)
    {
        const std::lock_guard lock(mutex_);
        flags_[pointer] = flags;
    }
    unsigned get(const void* pointer)
    {
        const std::lock_guard lock(mutex_);
        const auto found = flags_.find(pointer);
        return found == flags_.end() ? cudaHostAllocDefault : found->second;
    }

  private:
    std::mutex mutex_;
    std::unordered_map<const void*, unsigned> flags_;
};

HostFlags& host_flags()
{
    static HostFlags& instance = *new HostFlags;
    return instance;
}

cudaError_t allocate(void** pointer, std::size_t bytes, cudaMemoryType kind,
                     int device = cpu_device::current_device(), const void* call = nullptr)
{
    if (pointer == nullptr)
        return keep(cudaErrorInvalidValue);
    *pointer = nullptr;
    if (bytes == 0)
        return cudaSuccess;
    *pointer = cpu_device::allocate(bytes, kind, device, reinterpret_cast<std::uintptr_t>(call));
    return keep(*pointer == nullptr ? cudaErrorMemoryAllocation : cudaSuccess);
}

cudaError_t release(void* pointer, bool host)
{
    if (pointer == nullptr)
        return cudaSuccess;
    // The destructor of a parameter, which a GPU runs on the host: see launch_call().
    if (cpu_device::in_kernel())
        return cudaSuccess;
    Allocation found;
    if (!find_live_allocation(pointer, found) || found.address != pointer ||
        (found.kind == cudaMemoryTypeHost) != host || !cpu_device::release(pointer))
        return keep(cudaErrorInvalidValue);
    return cudaSuccess;
}

} // namespace

cudaError_t cudaMalloc(void** pointer, std::size_t bytes)
{
    return allocate(pointer, bytes, cudaMemoryTypeDevice, cpu_device::current_device(),
                    __builtin_return_address(0));
}

cudaError_t cudaFree(void* pointer)
{
    return release(pointer, false);
}

cudaError_t cudaMallocHost(void** pointer, std::size_t bytes, unsigned flags)
{
    return cudaHostAlloc(pointer, bytes, flags);
}

cudaError_t cudaHostAlloc(void** pointer, std::size_t bytes, unsigned flags)
{
    constexpr unsigned known =
        cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
    if ((flags & ~known) != 0)
        return keep(cudaErrorInvalidValue);
    const cudaError_t status = allocate(pointer, bytes, cudaMemoryTypeHost);
    if (status == cudaSuccess)
        host_flags().set(*pointer, flags | cudaHostAllocMapped);
    return status;
}

cudaError_t cudaFreeHost(void* pointer)
{
    return release(pointer, true);
}

cudaError_t cudaHostRegister(void* pointer, std::size_t bytes, unsigned flags)
{
    if (pointer == nullptr || bytes == 0)
        return keep(cudaErrorInvalidValue);
    if (!cpu_device::adopt(pointer, bytes))
        return keep(cudaErrorHostMemoryAlreadyRegistered);
    cpu_device::record_page_locking(bytes, true);
    host_flags().set(pointer, flags | cudaHostRegisterMapped);
    return cudaSuccess;
}

cudaError_t cudaHostUnregister(void* pointer)
{
    if (pointer == nullptr)
        return keep(cudaErrorInvalidValue);
    Allocation found;
    static_cast<void>(cpu_device::find_allocation(pointer, found));
    if (!cpu_device::disown(pointer))
        return keep(cudaErrorHostMemoryNotRegistered);
    cpu_device::record_page_locking(found.bytes, false);
    return cudaSuccess;
}

cudaError_t cudaHostGetDevicePointer(void** device_pointer, void* host_pointer, unsigned flags)
{
    Allocation found;
    if (device_pointer == nullptr || flags != 0 || !find_live_allocation(host_pointer, found) ||
        found.kind == cudaMemoryTypeDevice)
        return keep(cudaErrorInvalidValue);
    *device_pointer = host_pointer;
    return cudaSuccess;
}

cudaError_t cudaHostGetFlags(unsigned* flags, void* host_pointer)
{
    Allocation found;
    if (flags == nullptr || !find_live_allocation(host_pointer, found) ||
        found.kind != cudaMemoryTypeHost)
        return keep(cudaErrorInvalidValue);
    *flags = host_flags().get(found.address);
    return cudaSuccess;
}

cudaError_t cudaMallocManaged(void** pointer, std::size_t bytes, unsigned flags)
{
    if (bytes == 0 || (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost))
        return keep(cudaErrorInvalidValue);
    return allocate(pointer, bytes, cudaMemoryTypeManaged, cpu_device::current_device(),
                    __builtin_return_address(0));
}

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream)
{
    // A graph's memory stays: the graph may be launched again.
    if (cpu_device::is_capturing(stream))
        return cpu_device::in_stream(stream, cudaGraphNodeTypeMemFree, [] {});
    return cudaFree(pointer);
}

// --- pools ----------------------------------------------------------------------------------

struct CUmemPoolHandle_st
{
    /// What its allocations share, which may outlive it.
    struct Memory
    {
        cpu_device::PoolAccess access{};
        std::atomic<std::size_t> used = 0; ///< bytes
    };
    std::map<cudaMemPoolAttr, std::uint64_t> attributes{};
    std::size_t most_used = 0;
    int device = 0; ///< whose memory it hands out
    std::shared_ptr<Memory> memory = std::make_shared<Memory>();
};

namespace {

cudaMemPool_t make_pool(int device)
{
    auto pool = std::make_unique<CUmemPoolHandle_st>();
    pool->device = device;
    return cpu_device::handles<CUmemPoolHandle_st>().add(std::move(pool));
}

using Pools = std::array<cudaMemPool_t, cpu_device::max_devices>;

/// Each device's first pool, which is also what a stream takes without another.
const Pools& default_pools()
{
    static const Pools pools = [] {
        Pools made{};
        for (int device = 0; device < cpu_device::max_devices; ++device)
            made[static_cast<std::size_t>(device)] = make_pool(device);
        return made;
    }();
    return pools;
}

Pools current_pools{};

cudaError_t check_pool(cudaMemPool_t pool)
{
    return keep(cpu_device::handles<CUmemPoolHandle_st>().contain(pool) ? cudaSuccess
                                                                        : cudaErrorInvalidValue);
}

} // namespace

cudaError_t cudaMallocFromPoolAsync(void** pointer, std::size_t bytes, cudaMemPool_t pool,
                                    cudaStream_t stream)
{
    if (const cudaError_t status = check_pool(pool); status != cudaSuccess)
        return status;
    if (!cpu_device::device_of(stream))
        return keep(cudaErrorInvalidResourceHandle);
    const cudaError_t status = allocate(pointer, bytes, cudaMemoryTypeDevice, pool->device);
    if (status == cudaSuccess && *pointer != nullptr) {
        // Whatever releases the allocation gives its bytes back.
        const auto give_back = [memory = pool->memory, bytes](const cpu_device::PoolAccess*) {
            memory->used -= bytes;
        };
        pool->most_used = std::max(pool->most_used, pool->memory->used += bytes);
        cpu_device::put_into_pool(*pointer, {&pool->memory->access, give_back});
    }
    return status;
}

cudaError_t cudaMallocAsync(void** pointer, std::size_t bytes, cudaStream_t stream)
{
    const std::optional<int> device = cpu_device::device_of(stream);
    if (!device)
        return keep(cudaErrorInvalidResourceHandle);
    cudaMemPool_t pool = nullptr;
    static_cast<void>(cudaDeviceGetMemPool(&pool, *device));
    return cudaMallocFromPoolAsync(pointer, bytes, pool, stream);
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties)
{
    if (pool == nullptr || properties == nullptr ||
        properties->allocType != cudaMemAllocationTypePinned ||
        !cpu_device::is_device(properties->location.id))
        return keep(cudaErrorInvalidValue);
    *pool = make_pool(properties->location.id);
    return cudaSuccess;
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool)
{
    const bool is_default = std::ranges::find(default_pools(), pool) != default_pools().end();
    if (is_default || !cpu_device::handles<CUmemPoolHandle_st>().remove(pool))
        return keep(cudaErrorInvalidValue);
    std::ranges::replace(current_pools, pool, cudaMemPool_t{});
    return cudaSuccess;
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, std::size_t)
{
    return check_pool(pool);
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value)
{
    if (const cudaError_t status = check_pool(pool); status != cudaSuccess)
        return status;
    if (value == nullptr)
        return keep(cudaErrorInvalidValue);
    // The reuse policies are ints, the rest has 64 bits.
    pool->attributes[attribute] = attribute < cudaMemPoolAttrReleaseThreshold
                                      ? static_cast<std::uint64_t>(*static_cast<int*>(value))
                                      : *static_cast<std::uint64_t*>(value);
    if (attribute == cudaMemPoolAttrUsedMemHigh)
        pool->most_used = 0;
    return cudaSuccess;
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value)
{
    if (const cudaError_t status = check_pool(pool); status != cudaSuccess)
        return status;
    if (value == nullptr)
        return keep(cudaErrorInvalidValue);
    const std::size_t used = pool->memory->used;
    if (attribute < cudaMemPoolAttrReleaseThreshold) {
        const auto set = pool->attributes.find(attribute);
        *static_cast<int*>(value) =
            set == pool->attributes.end() ? 1 : static_cast<int>(set->second);
    } else if (attribute == cudaMemPoolAttrReleaseThreshold) {
        *static_cast<std::uint64_t*>(value) = pool->attributes[attribute];
    } else {
        const bool high =
            attribute == cudaMemPoolAttrReservedMemHigh || attribute == cudaMemPoolAttrUsedMemHigh;
        *static_cast<std::uint64_t*>(value) = high ? std::max(pool->most_used, used) : used;
    }
    return cudaSuccess;
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc* accesses,
                                 std::size_t count)
{
    if (const cudaError_t status = check_pool(pool); status != cudaSuccess)
        return status;
    if (accesses == nullptr)
        return keep(cudaErrorInvalidValue);
    const std::span wanted(accesses, count);
    for (const auto& [location, flags] : wanted) {
        const bool all = flags == cudaMemAccessFlagsProtReadWrite;
        if (location.type != cudaMemLocationTypeDevice || !cpu_device::is_device(location.id) ||
            (!all && (flags != cudaMemAccessFlagsProtNone || location.id == pool->device)))
            return keep(cudaErrorInvalidValue);
    }
    for (const auto& [location, flags] : wanted)
        pool->memory->access.at(static_cast<std::size_t>(location.id)) =
            flags == cudaMemAccessFlagsProtReadWrite;
    return cudaSuccess;
}

cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t pool,
                                 cudaMemLocation* location)
{
    if (const cudaError_t status = check_pool(pool); status != cudaSuccess)
        return status;
    if (flags == nullptr || location == nullptr || !cpu_device::is_device(location->id))
        return keep(cudaErrorInvalidValue);
    const bool open = location->id == pool->device ||
                      pool->memory->access.at(static_cast<std::size_t>(location->id));
    *flags = open ? cudaMemAccessFlagsProtReadWrite : cudaMemAccessFlagsProtNone;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device)
{
    if (!cpu_device::is_device(device))
        return keep(cudaErrorInvalidDevice);
    return cpu_device::answer(pool, default_pools()[static_cast<std::size_t>(device)]);
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device)
{
    const cudaError_t status = cudaDeviceGetDefaultMemPool(pool, device);
    if (status != cudaSuccess)
        return status;
    if (const cudaMemPool_t set = current_pools[static_cast<std::size_t>(device)]; set != nullptr)
        *pool = set;
    return cudaSuccess;
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool)
{
    if (!cpu_device::is_device(device))
        return keep(cudaErrorInvalidDevice);
    if (const cudaError_t status = check_pool(pool); status != cudaSuccess)
        return status;
    if (pool->device != device)
        return keep(cudaErrorInvalidDevice);
    current_pools[static_cast<std::size_t>(device)] = pool;
    return cudaSuccess;
}

cudaError_t cudaMallocPitch(void** pointer, std::size_t* pitch, std::size_t width,
                            std::size_t height)
{
    cudaPitchedPtr result{};
    if (pointer == nullptr || pitch == nullptr)
        return keep(cudaErrorInvalidValue);
    const cudaError_t status = cudaMalloc3D(&result, make_cudaExtent(width, height, 1));
    *pointer = result.ptr;
    *pitch = result.pitch;
    return status;
}

cudaError_t cudaMalloc3D(cudaPitchedPtr* pointer, cudaExtent extent)
{
    if (pointer == nullptr || extent.width > device_limits.max_pitch)
        return keep(cudaErrorInvalidValue);
    const std::size_t pitch = cpu_device::round_up(extent.width, device_limits.pitch_alignment);
    *pointer = make_cudaPitchedPtr(nullptr, pitch, extent.width, extent.height);
    constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
    if (pitch == 0 || extent.height == 0 || extent.depth == 0)
        return cudaSuccess;
    if (extent.height > most / pitch || extent.depth > most / (pitch * extent.height))
        return keep(cudaErrorMemoryAllocation);
    return cudaMalloc(&pointer->ptr, pitch * extent.height * extent.depth);
}

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total)
{
    if (free == nullptr || total == nullptr)
        return keep(cudaErrorInvalidValue);
    *total = cpu_device::device_memory_total();
    *free = *total - cpu_device::device_memory_used(cpu_device::current_device());
    return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer)
{
    if (attributes == nullptr)
        return keep(cudaErrorInvalidValue);
    auto* const address = const_cast<void*>(pointer);
    Allocation found;
    if (!find_live_allocation(pointer, found))
        *attributes = {cudaMemoryTypeUnregistered, cudaInvalidDeviceId, nullptr, address};
    else
        *attributes = {found.kind, found.device, address,
                       found.kind == cudaMemoryTypeDevice ? nullptr : address};
    return cudaSuccess;
}
