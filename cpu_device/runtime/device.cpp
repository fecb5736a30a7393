/// \file
/// The devices, which are all alike: properties, limits and occupancy, all from device_limits; and
/// which of them may use each other's memory.
#include "core/arena.hpp"
#include "core/devices.hpp"
#include "core/kernels.hpp"
#include "core/program_image.hpp"
#include "core/recorder.hpp"
#include "cpu_device/device_limits.hpp"
#include "runtime/runtime.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <mutex>
#include <vector>

using cpu_device::device_limits;
using cpu_device::is_device;
using cpu_device::set_error;
using cpu_device::store;

namespace {

struct Attribute
{
    cudaDeviceAttr name;
    int value;
    int cudaDeviceProp::*member = nullptr; ///< where cudaGetDeviceProperties() says the same
};

std::vector<Attribute> attributes()
{
    using Prop = cudaDeviceProp;
    const auto as_int = [](std::size_t value) { return static_cast<int>(value); };
    const cpu_device::DeviceLimits& all = device_limits;
    return {
        {cudaDevAttrMaxThreadsPerBlock, all.max_threads_per_block, &Prop::maxThreadsPerBlock},
        {cudaDevAttrMaxSharedMemoryPerBlock, as_int(all.shared_bytes_per_block)},
        {cudaDevAttrMaxSharedMemoryPerBlockOptin, as_int(all.shared_bytes_per_block_optin)},
        {cudaDevAttrMaxSharedMemoryPerMultiprocessor, as_int(all.shared_bytes_per_multiprocessor)},
        {cudaDevAttrWarpSize, all.warp_size, &Prop::warpSize},
        {cudaDevAttrClockRate, all.clock_khz, &Prop::clockRate},
        {cudaDevAttrMemoryClockRate, all.memory_clock_khz, &Prop::memoryClockRate},
        {cudaDevAttrGlobalMemoryBusWidth, all.memory_bus_bits, &Prop::memoryBusWidth},
        {cudaDevAttrL2CacheSize, all.l2_bytes, &Prop::l2CacheSize},
        {cudaDevAttrMaxPersistingL2CacheSize, all.persisting_l2_bytes,
         &Prop::persistingL2CacheMaxSize},
        {cudaDevAttrMultiProcessorCount, all.multiprocessors, &Prop::multiProcessorCount},
        {cudaDevAttrMaxThreadsPerMultiProcessor, all.max_threads_per_multiprocessor,
         &Prop::maxThreadsPerMultiProcessor},
        {cudaDevAttrComputeCapabilityMajor, all.compute_capability_major, &Prop::major},
        {cudaDevAttrComputeCapabilityMinor, all.compute_capability_minor, &Prop::minor},
        {cudaDevAttrConcurrentManagedAccess, 1, &Prop::concurrentManagedAccess},
        {cudaDevAttrCooperativeLaunch, 1, &Prop::cooperativeLaunch},
        {cudaDevAttrComputeMode, cudaComputeModeDefault, &Prop::computeMode},
        {cudaDevAttrPageableMemoryAccess, 0, &Prop::pageableMemoryAccess},
    };
}

cudaDeviceProp properties(int device)
{
    cudaDeviceProp p{};
    for (const Attribute& attribute : attributes())
        if (attribute.member != nullptr)
            p.*attribute.member = attribute.value;
    std::snprintf(p.name, sizeof p.name, "%s", device_limits.name);
    std::ranges::copy("cpu", p.uuid.bytes);
    p.uuid.bytes[15] = static_cast<char>(device);
    p.totalGlobalMem = cpu_device::device_memory_total();
    p.sharedMemPerBlock = device_limits.shared_bytes_per_block;
    p.regsPerBlock = device_limits.registers_per_block;
    p.memPitch = device_limits.max_pitch;
    std::ranges::copy(device_limits.max_block_dimensions, p.maxThreadsDim);
    std::ranges::copy(device_limits.max_grid_dimensions, p.maxGridSize);
    p.totalConstMem = device_limits.constant_bytes;
    p.canMapHostMemory = p.concurrentKernels = p.unifiedAddressing = p.managedMemory = 1;
    p.pciBusID = device;
    p.asyncEngineCount = device_limits.copy_engines;
    p.sharedMemPerMultiprocessor = device_limits.shared_bytes_per_multiprocessor;
    p.sharedMemPerBlockOptin = device_limits.shared_bytes_per_block_optin;
    return p;
}

/// Settings of cudaDeviceSetLimit(), by limit.
using Limits = std::array<std::size_t, 7>;

/// In whole sixteenths of the L2 is it set aside, and an H200 begins with three.
std::size_t l2_slice()
{
    return static_cast<std::size_t>(device_limits.l2_bytes) / 16;
}

Limits default_limits()
{
    return {1024, 7680 * 1024, 8 * 1024 * 1024, 2, 2048, 64, 3 * l2_slice()};
}

std::mutex limits_mutex;

/// Of the current device.
Limits& limits()
{
    static std::vector<Limits> of_devices(cpu_device::max_devices, default_limits());
    return of_devices[static_cast<std::size_t>(cpu_device::current_device())];
}

/// Bytes of the `__shared__` variables that the kernel declares.
std::size_t static_shared_bytes(const void* kernel)
{
    return cpu_device::immortal<cpu_device::ProgramImage>().static_shared_bytes(
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
    return store(count, cpu_device::device_count());
}

cudaError_t cudaGetDevice(int* device)
{
    return store(device, cpu_device::current_device());
}

cudaError_t cudaSetDevice(int device)
{
    if (!is_device(device))
        return set_error(cudaErrorInvalidDevice);
    cpu_device::set_current_device(device);
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* to, int device)
{
    return is_device(device) ? store(to, properties(device)) : set_error(cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr name, int device)
{
    if (!is_device(device))
        return set_error(cudaErrorInvalidDevice);
    const std::vector<Attribute> all = attributes();
    const auto known = std::ranges::find(all, name, &Attribute::name);
    return known == all.end() ? set_error(cudaErrorInvalidValue) : store(value, known->value);
}

cudaError_t cudaDeviceGetPCIBusId(char* bus_id, int length, int device)
{
    if (!is_device(device))
        return set_error(cudaErrorInvalidDevice);
    if (bus_id == nullptr || length < 13)
        return set_error(cudaErrorInvalidValue);
    std::snprintf(bus_id, static_cast<std::size_t>(length), "0000:%02hhx:00.0",
                  static_cast<unsigned char>(device));
    return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize()
{
    cpu_device::record_wait({.kind = cpu_device::Operation::Kind::host_waits_all});
    std::fflush(stdout); // what kernels printed appears here, as on a GPU
    return cpu_device::after_waiting();
}

cudaError_t cudaDeviceReset()
{
    cpu_device::arena().release_all(cpu_device::current_device());
    {
        const std::lock_guard lock(limits_mutex);
        limits() = default_limits();
    }
    cpu_device::arena().heap().set_limit(default_limits()[cudaLimitMallocHeapSize]);
    for (int peer = 0; peer < cpu_device::max_devices; ++peer)
        cpu_device::set_peer_access(cpu_device::current_device(), peer, false);
    std::fflush(stdout);
    return cudaSuccess;
}

cudaError_t cudaDeviceSetLimit(cudaLimit limit, std::size_t value)
{
    const auto index = static_cast<std::size_t>(limit);
    if (index >= Limits().size())
        return set_error(cudaErrorUnsupportedLimit);
    if (limit == cudaLimitPersistingL2CacheSize) {
        value = std::min(value, static_cast<std::size_t>(device_limits.persisting_l2_bytes));
        value = cpu_device::round_up(value, l2_slice());
        cpu_device::say_policies_are_not_simulated();
    }
    if (limit == cudaLimitMallocHeapSize) // one heap, for all devices
        cpu_device::arena().heap().set_limit(value);
    const std::lock_guard lock(limits_mutex);
    limits()[index] = value;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetLimit(std::size_t* value, cudaLimit limit)
{
    const auto index = static_cast<std::size_t>(limit);
    if (index >= Limits().size())
        return set_error(cudaErrorUnsupportedLimit);
    const std::lock_guard lock(limits_mutex);
    return store(value, limit == cudaLimitMallocHeapSize ? cpu_device::arena().heap().limit()
                                                         : limits()[index]);
}

cudaError_t cudaDeviceCanAccessPeer(int* can_access, int device, int peer)
{
    if (!is_device(device) || !is_device(peer))
        return set_error(cudaErrorInvalidDevice);
    return store(can_access, device == peer ? 0 : 1);
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags)
{
    if (peer == cpu_device::current_device())
        return set_error(cudaErrorPeerAccessUnsupported);
    if (!is_device(peer))
        return set_error(cudaErrorInvalidDevice);
    if (flags != 0)
        return set_error(cudaErrorInvalidValue);
    return set_error(cpu_device::set_peer_access(cpu_device::current_device(), peer, true)
                         ? cudaErrorPeerAccessAlreadyEnabled
                         : cudaSuccess);
}

cudaError_t cudaDeviceDisablePeerAccess(int peer)
{
    if (peer == cpu_device::current_device() || !is_device(peer))
        return set_error(cudaErrorInvalidDevice);
    return set_error(cpu_device::set_peer_access(cpu_device::current_device(), peer, false)
                         ? cudaSuccess
                         : cudaErrorPeerAccessNotEnabled);
}

cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr attribute, int from, int to)
{
    if (!is_device(from) || !is_device(to) || from == to)
        return set_error(cudaErrorInvalidDevice);
    switch (attribute) {
    case cudaDevP2PAttrPerformanceRank: // all links are alike
        return store(value, 0);
    case cudaDevP2PAttrAccessSupported:
    case cudaDevP2PAttrNativeAtomicSupported:
        return store(value, 1);
    }
    return set_error(cudaErrorInvalidValue);
}

cudaError_t cudaRuntimeGetVersion(int* version)
{
    return store(version, device_limits.toolkit_version);
}

cudaError_t cudaFuncSetAttribute(cpu_device::KernelAddress kernel, cudaFuncAttribute name,
                                 int value)
{
    if (kernel.address == nullptr)
        return set_error(cudaErrorInvalidDeviceFunction);
    if (name != cudaFuncAttributeMaxDynamicSharedMemorySize || value < 0 ||
        static_cast<std::size_t>(value) > device_limits.shared_bytes_per_block_optin)
        return set_error(cudaErrorInvalidValue);
    cpu_device::set_dynamic_shared_limit(kernel.address, static_cast<std::size_t>(value));
    return cudaSuccess;
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, cpu_device::KernelAddress kernel)
{
    if (kernel.address == nullptr)
        return set_error(cudaErrorInvalidDeviceFunction);
    cudaFuncAttributes result{};
    result.maxThreadsPerBlock = device_limits.max_threads_per_block;
    result.sharedSizeBytes = static_shared_bytes(kernel.address);
    result.maxDynamicSharedSizeBytes = static_cast<int>(dynamic_shared_room(kernel.address));
    return store(attributes, result);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks,
                                                          cpu_device::KernelAddress kernel,
                                                          int threads, std::size_t shared_bytes)
{
    if (kernel.address == nullptr)
        return set_error(cudaErrorInvalidDeviceFunction);
    if (blocks == nullptr || threads <= 0)
        return set_error(cudaErrorInvalidValue);
    *blocks = 0;
    if (threads > device_limits.max_threads_per_block ||
        shared_bytes > dynamic_shared_room(kernel.address))
        return cudaSuccess;
    *blocks = cpu_device::resident_blocks(device_limits, threads, cpu_device::assumed_registers,
                                          static_shared_bytes(kernel.address) + shared_bytes);
    return cudaSuccess;
}

cudaError_t cudaOccupancyMaxPotentialBlockSize(int* least_grid, int* threads,
                                               cpu_device::KernelAddress kernel,
                                               std::size_t shared_bytes, int threads_limit)
{
    const int warp = device_limits.warp_size;
    const int most = threads_limit > 0
                         ? std::min(threads_limit, device_limits.max_threads_per_block)
                         : device_limits.max_threads_per_block;
    int best = 0;
    *threads = *least_grid = 0;
    for (int whole = (most + warp - 1) / warp * warp; whole > 0; whole -= warp) {
        const int size = std::min(whole, most);
        int blocks = 0;
        if (const cudaError_t status =
                cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, size, shared_bytes);
            status != cudaSuccess)
            return status;
        if (blocks * size <= best)
            continue;
        best = blocks * size;
        *threads = size;
        *least_grid = blocks * device_limits.multiprocessors;
    }
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
        return set_error(cudaErrorInvalidValue);
    note_access_policy(window.num_bytes > 0);
    if (window.num_bytes > 0)
        say_policies_are_not_simulated();
    return cudaSuccess;
}

void say_policies_are_not_simulated()
{
    static std::once_flag once;
    std::call_once(once, [] {
        std::fputs(
            "The CPU device does not simulate access policy windows of the L2: counts do not "
            "change, and no time is modelled while a window is set.\n",
            stderr);
    });
}

} // namespace cpu_device
