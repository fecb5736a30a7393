/// \file
/// The card that the CPU device models: the limits of one NVIDIA H200. The only place with these
/// figures.
#pragma once

#include <algorithm>
#include <cstddef>

namespace cpu_device {

/// Limits and properties that a program can ask for; none of them changes how fast it runs here.
struct DeviceLimits
{
    const char* name = "CPU device";
    int compute_capability_major = 9;
    int compute_capability_minor = 0;
    int multiprocessors = 132;
    int warp_size = 32;
    int max_threads_per_block = 1024;
    int max_block_dimensions[3] = {1024, 1024, 64};
    int max_grid_dimensions[3] = {2147483647, 65535, 65535};
    int max_threads_per_multiprocessor = 2048;
    int max_blocks_per_multiprocessor = 32;
    int registers_per_block = 65536;
    int registers_per_multiprocessor = 65536;
    std::size_t shared_bytes_per_multiprocessor = 228 * 1024;
    std::size_t shared_bytes_per_block = 48 * 1024;        ///< without asking for more
    std::size_t shared_bytes_per_block_optin = 227 * 1024; ///< after cudaFuncSetAttribute
    std::size_t reserved_shared_bytes_per_block = 1024;    ///< taken by the driver for each block
    std::size_t shared_allocation_unit = 128;
    std::size_t constant_bytes = 64 * 1024;
    int l2_bytes = 60 * 1024 * 1024;
    int persisting_l2_bytes = 10 * (l2_bytes / 16);
    int access_policy_window_bytes = 128 * 1024 * 1024;
    int memory_clock_khz = 3201000;
    int memory_bus_bits = 6016;
    int clock_khz = 1980000;
    int copy_engines = 3;
    std::size_t pitch_alignment = 512; ///< rows of cudaMallocPitch start at multiples of it
    std::size_t max_pitch = 2147483647;
    std::size_t texture_alignment = 512;
    std::size_t texture_pitch_alignment = 32;
    int toolkit_version = 13000; ///< what cudaRuntimeGetVersion answers: 13.0
    int least_stream_priority = 0;
    int greatest_stream_priority = -5;
};

inline constexpr DeviceLimits device_limits;

/// The least multiple of `multiple` that is not below `value`.
[[nodiscard]] constexpr std::size_t round_up(std::size_t value, std::size_t multiple)
{
    return (value + multiple - 1) / multiple * multiple;
}

/// Blocks of 1 to 1024 threads that one multiprocessor holds at a time, each with `shared_bytes` of
/// shared memory, static and dynamic together.
[[nodiscard]] constexpr int resident_blocks(int threads, std::size_t shared_bytes = 0)
{
    const int warps = (threads + device_limits.warp_size - 1) / device_limits.warp_size;
    const std::size_t shared_of_block =
        round_up(shared_bytes + device_limits.reserved_shared_bytes_per_block,
                 device_limits.shared_allocation_unit);
    return std::min(
        {device_limits.max_threads_per_multiprocessor / device_limits.warp_size / warps,
         device_limits.max_blocks_per_multiprocessor,
         static_cast<int>(device_limits.shared_bytes_per_multiprocessor / shared_of_block)});
}

} // namespace cpu_device
