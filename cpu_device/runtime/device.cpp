/// \file
/// The devices, which are all alike: properties, limits and occupancy, all from device_limits; and
/// which of them may use each other's memory.
#include "core/allocations.hpp"
#include "core/devices.hpp"
#include "core/kernels.hpp"
#include "core/program_image.hpp"
#include "core/recorder.hpp"
#include "cpu_device/detail/builtins.hpp"
#include "cpu_device/device_limits.hpp"
#include "runtime/access_policy.hpp"
#include "runtime/runtime.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <mutex>
#include <optional>
#include <string_view>

using cpu_device::answer;
using cpu_device::device_limits;
using cpu_device::keep;

namespace {

cudaError_t check_device(int device)
{
    return keep(cpu_device::is_device(device) ? cudaSuccess : cudaErrorInvalidDevice);
}

std::optional<int> attribute_value(cudaDeviceAttr attribute, int device = 0)
{
    struct Attribute
    {
        cudaDeviceAttr name;
        int value;
    };
    const auto as_int = [](std::size_t value) { return static_cast<int>(value); };
    const Attribute attributes[] = {
        {cudaDevAttrMaxThreadsPerBlock, device_limits.max_threads_per_block},
        {cudaDevAttrMaxBlockDimX, device_limits.max_block_dimensions[0]},
        {cudaDevAttrMaxBlockDimY, device_limits.max_block_dimensions[1]},
        {cudaDevAttrMaxBlockDimZ, device_limits.max_block_dimensions[2]},
        {cudaDevAttrMaxGridDimX, device_limits.max_grid_dimensions[0]},
        {cudaDevAttrMaxGridDimY, device_limits.max_grid_dimensions[1]},
        {cudaDevAttrMaxGridDimZ, device_limits.max_grid_dimensions[2]},
        {cudaDevAttrMaxSharedMemoryPerBlock, as_int(device_limits.shared_bytes_per_block)},
        {cudaDevAttrMaxSharedMemoryPerBlockOptin,
         as_int(device_limits.shared_bytes_per_block_optin)},
        {cudaDevAttrMaxSharedMemoryPerMultiprocessor,
         as_int(device_limits.shared_bytes_per_multiprocessor)},
        {cudaDevAttrTotalConstantMemory, as_int(device_limits.constant_bytes)},
        {cudaDevAttrWarpSize, device_limits.warp_size},
        {cudaDevAttrMaxPitch, as_int(device_limits.max_pitch)},
        {cudaDevAttrMaxRegistersPerBlock, device_limits.registers_per_block},
        {cudaDevAttrMaxRegistersPerMultiprocessor, device_limits.registers_per_multiprocessor},
        {cudaDevAttrClockRate, device_limits.clock_khz},
        {cudaDevAttrMemoryClockRate, device_limits.memory_clock_khz},
        {cudaDevAttrGlobalMemoryBusWidth, device_limits.memory_bus_bits},
        {cudaDevAttrL2CacheSize, device_limits.l2_bytes},
        {cudaDevAttrMaxPersistingL2CacheSize, device_limits.persisting_l2_bytes},
        {cudaDevAttrMultiProcessorCount, device_limits.multiprocessors},
        {cudaDevAttrMaxThreadsPerMultiProcessor, device_limits.max_threads_per_multiprocessor},
        {cudaDevAttrMaxBlocksPerMultiprocessor, device_limits.max_blocks_per_multiprocessor},
        {cudaDevAttrAsyncEngineCount, device_limits.copy_engines},
        {cudaDevAttrComputeCapabilityMajor, device_limits.compute_capability_major},
        {cudaDevAttrComputeCapabilityMinor, device_limits.compute_capability_minor},
        {cudaDevAttrSingleToDoublePrecisionPerfRatio, 2},
        {cudaDevAttrGpuOverlap, 1},
        {cudaDevAttrCanMapHostMemory, 1},
        {cudaDevAttrConcurrentKernels, 1},
        {cudaDevAttrUnifiedAddressing, 1},
        {cudaDevAttrManagedMemory, 1},
        {cudaDevAttrConcurrentManagedAccess, 1},
        {cudaDevAttrComputePreemptionSupported, 1},
        {cudaDevAttrCanUseHostPointerForRegisteredMem, 1},
        {cudaDevAttrCooperativeLaunch, 1},
        {cudaDevAttrHostRegisterSupported, 1},
        {cudaDevAttrPciBusId, device},
        {cudaDevAttrKernelExecTimeout, 0},
        {cudaDevAttrIntegrated, 0},
        {cudaDevAttrComputeMode, 0},
        {cudaDevAttrEccEnabled, 0},
        {cudaDevAttrPciDeviceId, 0},
        {cudaDevAttrPciDomainId, 0},
        {cudaDevAttrHostNativeAtomicSupported, 0},
        {cudaDevAttrPageableMemoryAccess, 0},
        {cudaDevAttrClusterLaunch, 0}, // thread block clusters are not run here
    };
    const auto* const found = std::ranges::find(attributes, attribute, &Attribute::name);
    return found == std::end(attributes) ? std::nullopt : std::optional(found->value);
}

int attribute(cudaDeviceAttr name)
{
    return attribute_value(name).value_or(0);
}

cudaDeviceProp properties(int device)
{
    cudaDeviceProp p{};
    std::snprintf(p.name, sizeof p.name, "%s", device_limits.name);
    p.uuid.bytes[0] = 'c';
    p.uuid.bytes[1] = 'p';
    p.uuid.bytes[2] = 'u';
    p.uuid.bytes[15] = static_cast<char>(device);
    p.pciBusID = device;
    p.totalGlobalMem = cpu_device::device_memory_total();
    p.sharedMemPerBlock = device_limits.shared_bytes_per_block;
    p.regsPerBlock = device_limits.registers_per_block;
    p.warpSize = device_limits.warp_size;
    p.memPitch = device_limits.max_pitch;
    p.maxThreadsPerBlock = device_limits.max_threads_per_block;
    std::ranges::copy(device_limits.max_block_dimensions, p.maxThreadsDim);
    std::ranges::copy(device_limits.max_grid_dimensions, p.maxGridSize);
    p.totalConstMem = device_limits.constant_bytes;
    p.major = device_limits.compute_capability_major;
    p.minor = device_limits.compute_capability_minor;
    p.textureAlignment = device_limits.texture_alignment;
    p.texturePitchAlignment = device_limits.texture_pitch_alignment;
    p.multiProcessorCount = device_limits.multiprocessors;
    p.canMapHostMemory = attribute(cudaDevAttrCanMapHostMemory);
    p.concurrentKernels = attribute(cudaDevAttrConcurrentKernels);
    p.asyncEngineCount = device_limits.copy_engines;
    p.unifiedAddressing = attribute(cudaDevAttrUnifiedAddressing);
    p.memoryBusWidth = device_limits.memory_bus_bits;
    p.l2CacheSize = device_limits.l2_bytes;
    p.persistingL2CacheMaxSize = device_limits.persisting_l2_bytes;
    p.maxThreadsPerMultiProcessor = device_limits.max_threads_per_multiprocessor;
    p.streamPrioritiesSupported = 1;
    p.globalL1CacheSupported = 1;
    p.localL1CacheSupported = 1;
    p.sharedMemPerMultiprocessor = device_limits.shared_bytes_per_multiprocessor;
    p.regsPerMultiprocessor = device_limits.registers_per_multiprocessor;
    p.managedMemory = attribute(cudaDevAttrManagedMemory);
    p.concurrentManagedAccess = attribute(cudaDevAttrConcurrentManagedAccess);
    p.computePreemptionSupported = attribute(cudaDevAttrComputePreemptionSupported);
    p.canUseHostPointerForRegisteredMem = attribute(cudaDevAttrCanUseHostPointerForRegisteredMem);
    p.cooperativeLaunch = attribute(cudaDevAttrCooperativeLaunch);
    p.sharedMemPerBlockOptin = device_limits.shared_bytes_per_block_optin;
    p.maxBlocksPerMultiProcessor = device_limits.max_blocks_per_multiprocessor;
    p.accessPolicyMaxWindowSize = device_limits.access_policy_window_bytes;
    p.reservedSharedMemPerBlock = device_limits.reserved_shared_bytes_per_block;
    p.hostRegisterSupported = attribute(cudaDevAttrHostRegisterSupported);
    p.memoryPoolsSupported = 1;
    p.clockRate = device_limits.clock_khz;
    p.memoryClockRate = device_limits.memory_clock_khz;
    p.deviceOverlap = attribute(cudaDevAttrGpuOverlap);
    p.singleToDoublePrecisionPerfRatio = attribute(cudaDevAttrSingleToDoublePrecisionPerfRatio);
    return p;
}

/// Settings of cudaDeviceSetLimit(); cudaDeviceReset() restores them. The heap is one, for all
/// devices, and its limit is the engine's.
class Limits
{
  public:
    cudaError_t set(cudaLimit limit, std::size_t value)
    {
        const std::lock_guard lock(mutex_);
        const auto index = static_cast<std::size_t>(limit);
        if (index >= values_.size())
            return keep(cudaErrorUnsupportedLimit);
        if (limit == cudaLimitPersistingL2CacheSize) {
            value = std::min(value, static_cast<std::size_t>(device_limits.persisting_l2_bytes));
            value = cpu_device::round_up(value, l2_slice);
            cpu_device::say_policies_are_not_simulated();
        }
        if (limit == cudaLimitMallocHeapSize)
            cpu_device::set_device_heap_limit(value);
        values_[index] = value;
        return cudaSuccess;
    }
    cudaError_t get(std::size_t* value, cudaLimit limit)
    {
        const std::lock_guard lock(mutex_);
        const auto index = static_cast<std::size_t>(limit);
        if (index >= values_.size())
            return keep(cudaErrorUnsupportedLimit);
        return answer(value, limit == cudaLimitMallocHeapSize ? cpu_device::device_heap_limit()
                                                              : values_[index]);
    }
    void reset()
    {
        const std::lock_guard lock(mutex_);
        values_ = defaults;
        cpu_device::set_device_heap_limit(defaults[cudaLimitMallocHeapSize]);
    }

  private:
    /// In whole sixteenths of the L2 is it set aside, and an H200 begins with three.
    const std::size_t l2_slice = static_cast<std::size_t>(device_limits.l2_bytes) / 16;
    const std::array<std::size_t, 7> defaults{
        1024, 7 * 1024 * 1024 + 512 * 1024, 8 * 1024 * 1024, 2, 2048, 64, 3 * l2_slice};
    std::mutex mutex_;
    std::array<std::size_t, 7> values_ = defaults;
};

/// Of the current device.
Limits& limits()
{
    static std::array<Limits, cpu_device::max_devices> of_devices;
    return of_devices[static_cast<std::size_t>(cpu_device::current_device())];
}

std::atomic<unsigned> device_flags = cudaDeviceScheduleAuto;

/// Bytes of the `__shared__` variables that the kernel declares.
std::size_t static_shared_bytes(const void* kernel)
{
    return cpu_device::ProgramImage::instance().static_shared_bytes(
        cpu_device::kernel_name(kernel, ""));
}

/// Bytes of dynamic shared memory that a launch of the kernel may request next to its static ones.
std::size_t dynamic_shared_room(const void* kernel)
{
    const std::size_t allowed = cpu_device::dynamic_shared_limit(kernel);
    const std::size_t of_both = allowed > device_limits.shared_bytes_per_block
                                    ? device_limits.shared_bytes_per_block_optin
                                    : device_limits.shared_bytes_per_block;
    return std::min(allowed, of_both - std::min(of_both, static_shared_bytes(kernel)));
}

} // namespace

cudaError_t cudaGetDeviceCount(int* count)
{
    return answer(count, cpu_device::device_count());
}

cudaError_t cudaGetDevice(int* device)
{
    return answer(device, cpu_device::current_device());
}

cudaError_t cudaSetDevice(int device)
{
    const cudaError_t status = check_device(device);
    if (status == cudaSuccess)
        cpu_device::set_current_device(device);
    return status;
}

cudaError_t cudaSetDeviceFlags(unsigned flags)
{
    device_flags = flags;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceFlags(unsigned* flags)
{
    return answer(flags, device_flags | cudaDeviceMapHost);
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* to, int device)
{
    if (const cudaError_t status = check_device(device); status != cudaSuccess)
        return status;
    return answer(to, properties(device));
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr name, int device)
{
    if (const cudaError_t status = check_device(device); status != cudaSuccess)
        return status;
    const std::optional<int> known = attribute_value(name, device);
    return known ? answer(value, *known) : keep(cudaErrorInvalidValue);
}

cudaError_t cudaDeviceGetPCIBusId(char* bus_id, int length, int device)
{
    if (const cudaError_t status = check_device(device); status != cudaSuccess)
        return status;
    if (bus_id == nullptr || length < 13)
        return keep(cudaErrorInvalidValue);
    std::snprintf(bus_id, static_cast<std::size_t>(length), "0000:%02hhx:00.0",
                  static_cast<unsigned char>(device));
    return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize()
{
    cpu_device::record_wait_for_all();
    std::fflush(stdout); // what kernels printed appears here, as on a GPU
    return cpu_device::after_waiting();
}

cudaError_t cudaDeviceReset()
{
    cpu_device::release_all(cpu_device::current_device());
    limits().reset();
    for (int peer = 0; peer < cpu_device::max_devices; ++peer)
        cpu_device::set_peer_access(cpu_device::current_device(), peer, false);
    std::fflush(stdout);
    return cudaSuccess;
}

cudaError_t cudaDeviceSetLimit(cudaLimit limit, std::size_t value)
{
    return limits().set(limit, value);
}

cudaError_t cudaDeviceGetLimit(std::size_t* value, cudaLimit limit)
{
    return limits().get(value, limit);
}

cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache)
{
    return cudaSuccess;
}

cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig)
{
    return cudaSuccess;
}

cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* configuration)
{
    return answer(configuration, cudaSharedMemBankSizeFourByte);
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest)
{
    if (least != nullptr)
        *least = device_limits.least_stream_priority;
    if (greatest != nullptr)
        *greatest = device_limits.greatest_stream_priority;
    return cudaSuccess;
}

cudaError_t cudaDeviceCanAccessPeer(int* can_access, int device, int peer)
{
    for (const int one : {device, peer})
        if (const cudaError_t status = check_device(one); status != cudaSuccess)
            return status;
    return answer(can_access, device == peer ? 0 : 1);
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags)
{
    if (peer == cpu_device::current_device())
        return keep(cudaErrorPeerAccessUnsupported);
    if (const cudaError_t status = check_device(peer); status != cudaSuccess)
        return status;
    if (flags != 0)
        return keep(cudaErrorInvalidValue);
    return keep(cpu_device::set_peer_access(cpu_device::current_device(), peer, true)
                    ? cudaErrorPeerAccessAlreadyEnabled
                    : cudaSuccess);
}

cudaError_t cudaDeviceDisablePeerAccess(int peer)
{
    if (peer == cpu_device::current_device())
        return keep(cudaErrorInvalidDevice);
    if (const cudaError_t status = check_device(peer); status != cudaSuccess)
        return status;
    return keep(cpu_device::set_peer_access(cpu_device::current_device(), peer, false)
                    ? cudaSuccess
                    : cudaErrorPeerAccessNotEnabled);
}

cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr attribute, int from, int to)
{
    if (!cpu_device::is_device(from) || !cpu_device::is_device(to) || from == to)
        return keep(cudaErrorInvalidDevice);
    switch (attribute) {
    case cudaDevP2PAttrPerformanceRank: // all links are alike
    case cudaDevP2PAttrCudaArrayAccessSupported:
        return answer(value, 0);
    case cudaDevP2PAttrAccessSupported:
    case cudaDevP2PAttrNativeAtomicSupported:
        return answer(value, 1);
    }
    return keep(cudaErrorInvalidValue);
}

cudaError_t cudaDriverGetVersion(int* version)
{
    return answer(version, device_limits.toolkit_version);
}

cudaError_t cudaRuntimeGetVersion(int* version)
{
    return answer(version, device_limits.toolkit_version);
}

cudaError_t cudaCtxResetPersistingL2Cache()
{
    return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void* kernel, cudaFuncAttribute name, int value)
{
    if (kernel == nullptr)
        return keep(cudaErrorInvalidDeviceFunction);
    if (name == cudaFuncAttributePreferredSharedMemoryCarveout)
        return keep(value >= cudaSharedmemCarveoutDefault && value <= cudaSharedmemCarveoutMaxShared
                        ? cudaSuccess
                        : cudaErrorInvalidValue);
    if (name != cudaFuncAttributeMaxDynamicSharedMemorySize || value < 0 ||
        static_cast<std::size_t>(value) > device_limits.shared_bytes_per_block_optin)
        return keep(cudaErrorInvalidValue);
    cpu_device::set_dynamic_shared_limit(kernel, static_cast<std::size_t>(value));
    return cudaSuccess;
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* kernel)
{
    if (kernel == nullptr)
        return keep(cudaErrorInvalidDeviceFunction);
    cudaFuncAttributes result{};
    result.maxThreadsPerBlock = device_limits.max_threads_per_block;
    result.sharedSizeBytes = static_shared_bytes(kernel);
    result.maxDynamicSharedSizeBytes = static_cast<int>(dynamic_shared_room(kernel));
    result.preferredShmemCarveout = cudaSharedmemCarveoutDefault;
    result.binaryVersion =
        10 * device_limits.compute_capability_major + device_limits.compute_capability_minor;
    result.ptxVersion = result.binaryVersion;
    return answer(attributes, result);
}

cudaError_t cudaFuncSetCacheConfig(const void* kernel, cudaFuncCache)
{
    return keep(kernel == nullptr ? cudaErrorInvalidDeviceFunction : cudaSuccess);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* kernel,
                                                          int threads, std::size_t shared_bytes)
{
    if (kernel == nullptr)
        return keep(cudaErrorInvalidDeviceFunction);
    if (blocks == nullptr || threads <= 0)
        return keep(cudaErrorInvalidValue);
    *blocks = 0;
    if (threads > device_limits.max_threads_per_block || shared_bytes > dynamic_shared_room(kernel))
        return cudaSuccess;
    *blocks = cpu_device::resident_blocks(device_limits, threads, cpu_device::assumed_registers,
                                          static_shared_bytes(kernel) + shared_bytes);
    return cudaSuccess;
}
