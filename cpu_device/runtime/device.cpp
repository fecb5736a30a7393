/// \file
/// The devices, which are all alike: properties, limits and occupancy, all from device_limits; and
/// which of them may use each other's memory.
#include "core/arena.hpp"
#include "core/devices.hpp"
#include "core/kernels.hpp"
#include "core/program_image.hpp"
#include "core/recorder.hpp"
#include "cpu_device/detail/builtins.hpp"
#include "cpu_device/device_limits.hpp"
#include "runtime/runtime.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <mutex>
#include <vector>

using cpu_device::answer;
using cpu_device::device_limits;
using cpu_device::keep;

namespace {

cudaError_t check_device(int device)
{
    return keep(cpu_device::is_device(device) ? cudaSuccess : cudaErrorInvalidDevice);
}

struct Attribute
{
    cudaDeviceAttr name;
    int value;
    int cudaDeviceProp::*member = nullptr; ///< where cudaGetDeviceProperties() says the same
};

std::vector<Attribute> attributes_of(int device)
{
    using Prop = cudaDeviceProp;
    const auto as_int = [](std::size_t value) { return static_cast<int>(value); };
    return {
        {cudaDevAttrMaxThreadsPerBlock, device_limits.max_threads_per_block,
         &Prop::maxThreadsPerBlock},
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
        {cudaDevAttrWarpSize, device_limits.warp_size, &Prop::warpSize},
        {cudaDevAttrMaxPitch, as_int(device_limits.max_pitch)},
        {cudaDevAttrMaxRegistersPerBlock, device_limits.registers_per_block, &Prop::regsPerBlock},
        {cudaDevAttrMaxRegistersPerMultiprocessor, device_limits.registers_per_multiprocessor,
         &Prop::regsPerMultiprocessor},
        {cudaDevAttrClockRate, device_limits.clock_khz, &Prop::clockRate},
        {cudaDevAttrMemoryClockRate, device_limits.memory_clock_khz, &Prop::memoryClockRate},
        {cudaDevAttrGlobalMemoryBusWidth, device_limits.memory_bus_bits, &Prop::memoryBusWidth},
        {cudaDevAttrL2CacheSize, device_limits.l2_bytes, &Prop::l2CacheSize},
        {cudaDevAttrMaxPersistingL2CacheSize, device_limits.persisting_l2_bytes,
         &Prop::persistingL2CacheMaxSize},
        {cudaDevAttrMultiProcessorCount, device_limits.multiprocessors, &Prop::multiProcessorCount},
        {cudaDevAttrMaxThreadsPerMultiProcessor, device_limits.max_threads_per_multiprocessor,
         &Prop::maxThreadsPerMultiProcessor},
        {cudaDevAttrMaxBlocksPerMultiprocessor, device_limits.max_blocks_per_multiprocessor,
         &Prop::maxBlocksPerMultiProcessor},
        {cudaDevAttrAsyncEngineCount, device_limits.copy_engines, &Prop::asyncEngineCount},
        {cudaDevAttrComputeCapabilityMajor, device_limits.compute_capability_major, &Prop::major},
        {cudaDevAttrComputeCapabilityMinor, device_limits.compute_capability_minor, &Prop::minor},
        {cudaDevAttrSingleToDoublePrecisionPerfRatio, 2, &Prop::singleToDoublePrecisionPerfRatio},
        {cudaDevAttrGpuOverlap, 1, &Prop::deviceOverlap},
        {cudaDevAttrCanMapHostMemory, 1, &Prop::canMapHostMemory},
        {cudaDevAttrConcurrentKernels, 1, &Prop::concurrentKernels},
        {cudaDevAttrUnifiedAddressing, 1, &Prop::unifiedAddressing},
        {cudaDevAttrManagedMemory, 1, &Prop::managedMemory},
        {cudaDevAttrConcurrentManagedAccess, 1, &Prop::concurrentManagedAccess},
        {cudaDevAttrComputePreemptionSupported, 1, &Prop::computePreemptionSupported},
        {cudaDevAttrCanUseHostPointerForRegisteredMem, 1, &Prop::canUseHostPointerForRegisteredMem},
        {cudaDevAttrCooperativeLaunch, 1, &Prop::cooperativeLaunch},
        {cudaDevAttrHostRegisterSupported, 1, &Prop::hostRegisterSupported},
        {cudaDevAttrPciBusId, device, &Prop::pciBusID},
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
}

cudaDeviceProp properties(int device)
{
    cudaDeviceProp p{};
    for (const Attribute& attribute : attributes_of(device))
        if (attribute.member != nullptr)
            p.*attribute.member = attribute.value;
    std::snprintf(p.name, sizeof p.name, "%s", device_limits.name);
    p.uuid.bytes[0] = 'c';
    p.uuid.bytes[1] = 'p';
    p.uuid.bytes[2] = 'u';
    p.uuid.bytes[15] = static_cast<char>(device);
    p.totalGlobalMem = cpu_device::device_memory_total();
    p.sharedMemPerBlock = device_limits.shared_bytes_per_block;
    p.memPitch = device_limits.max_pitch;
    std::ranges::copy(device_limits.max_block_dimensions, p.maxThreadsDim);
    std::ranges::copy(device_limits.max_grid_dimensions, p.maxGridSize);
    p.totalConstMem = device_limits.constant_bytes;
    p.textureAlignment = device_limits.texture_alignment;
    p.texturePitchAlignment = device_limits.texture_pitch_alignment;
    p.streamPrioritiesSupported = 1;
    p.globalL1CacheSupported = 1;
    p.localL1CacheSupported = 1;
    p.sharedMemPerMultiprocessor = device_limits.shared_bytes_per_multiprocessor;
    p.sharedMemPerBlockOptin = device_limits.shared_bytes_per_block_optin;
    p.accessPolicyMaxWindowSize = device_limits.access_policy_window_bytes;
    p.reservedSharedMemPerBlock = device_limits.reserved_shared_bytes_per_block;
    p.memoryPoolsSupported = 1;
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
            cpu_device::arena().set_heap_limit(value);
        values_[index] = value;
        return cudaSuccess;
    }
    cudaError_t get(std::size_t* value, cudaLimit limit)
    {
        const std::lock_guard lock(mutex_);
        const auto index = static_cast<std::size_t>(limit);
        if (index >= values_.size())
            return keep(cudaErrorUnsupportedLimit);
        return answer(value, limit == cudaLimitMallocHeapSize ? cpu_device::arena().heap_limit()
                                                              : values_[index]);
    }
    void reset()
    {
        const std::lock_guard lock(mutex_);
        values_ = defaults;
        cpu_device::arena().set_heap_limit(defaults[cudaLimitMallocHeapSize]);
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
    const std::vector<Attribute> all = attributes_of(device);
    const auto known = std::ranges::find(all, name, &Attribute::name);
    return known == all.end() ? keep(cudaErrorInvalidValue) : answer(value, known->value);
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
    cpu_device::arena().release_all(cpu_device::current_device());
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

cudaError_t cudaFuncSetAttribute(cpu_device::KernelAddress kernel, cudaFuncAttribute name,
                                 int value)
{
    if (kernel.address == nullptr)
        return keep(cudaErrorInvalidDeviceFunction);
    if (name == cudaFuncAttributePreferredSharedMemoryCarveout)
        return keep(value >= cudaSharedmemCarveoutDefault && value <= cudaSharedmemCarveoutMaxShared
                        ? cudaSuccess
                        : cudaErrorInvalidValue);
    if (name != cudaFuncAttributeMaxDynamicSharedMemorySize || value < 0 ||
        static_cast<std::size_t>(value) > device_limits.shared_bytes_per_block_optin)
        return keep(cudaErrorInvalidValue);
    cpu_device::set_dynamic_shared_limit(kernel.address, static_cast<std::size_t>(value));
    return cudaSuccess;
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, cpu_device::KernelAddress kernel)
{
    if (kernel.address == nullptr)
        return keep(cudaErrorInvalidDeviceFunction);
    cudaFuncAttributes result{};
    result.maxThreadsPerBlock = device_limits.max_threads_per_block;
    result.sharedSizeBytes = static_shared_bytes(kernel.address);
    result.maxDynamicSharedSizeBytes = static_cast<int>(dynamic_shared_room(kernel.address));
    result.preferredShmemCarveout = cudaSharedmemCarveoutDefault;
    result.binaryVersion =
        10 * device_limits.compute_capability_major + device_limits.compute_capability_minor;
    result.ptxVersion = result.binaryVersion;
    return answer(attributes, result);
}

cudaError_t cudaFuncSetCacheConfig(cpu_device::KernelAddress kernel, cudaFuncCache)
{
    return keep(kernel.address == nullptr ? cudaErrorInvalidDeviceFunction : cudaSuccess);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks,
                                                          cpu_device::KernelAddress kernel,
                                                          int threads, std::size_t shared_bytes)
{
    if (kernel.address == nullptr)
        return keep(cudaErrorInvalidDeviceFunction);
    if (blocks == nullptr || threads <= 0)
        return keep(cudaErrorInvalidValue);
    *blocks = 0;
    if (threads > device_limits.max_threads_per_block ||
        shared_bytes > dynamic_shared_room(kernel.address))
        return cudaSuccess;
    *blocks = cpu_device::resident_blocks(device_limits, threads, cpu_device::assumed_registers,
                                          static_shared_bytes(kernel.address) + shared_bytes);
    return cudaSuccess;
}

namespace cpu_device {

cudaError_t check_access_policy(const cudaAccessPolicyWindow& window)
{
    const bool valid =
        window.num_bytes <= static_cast<std::size_t>(device_limits.access_policy_window_bytes) &&
        window.hitRatio >= 0.0f && window.hitRatio <= 1.0f &&
        window.missProp != cudaAccessPropertyPersisting;
    if (!valid)
        return keep(cudaErrorInvalidValue);
    note_access_policy(window.num_bytes > 0);
    if (window.num_bytes > 0)
        say_policies_are_not_simulated();
    return cudaSuccess;
}

void say_policies_are_not_simulated()
{
    static std::once_flag once;
    std::call_once(once, [] {
        std::fputs("The CPU device does not simulate what an access policy keeps in the L2: counts "
                   "stay the same, and while a window is set no time is modelled.\n",
                   stderr);
    });
}

} // namespace cpu_device
