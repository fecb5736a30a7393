/// \file
/// What a program sees of the devices: those of an NVIDIA H200, unless somebody says otherwise. The
/// only place with these figures.
#pragma once

#include <algorithm>
#include <cstddef>

namespace cpu_device {

/// Limits and properties that a program can ask for, alike for all devices; none of them changes
/// how fast it runs here. The compute capability is that which kernels are compiled for.
struct DeviceLimits
{
    static constexpr int max_threads_per_block = 1024; ///< of every card so far

    /// Name.
    const char* name = "CPU device";
    /// Compute capability major.
    int compute_capability_major = 9;
    /// Compute capability minor.
    int compute_capability_minor = 0;
    /// Multiprocessors.
    int multiprocessors = 132;
    /// Warp size.
    int warp_size = 32;
    /// Max block dimensions.
    int max_block_dimensions[3] = {1024, 1024, 64};
    /// Max grid dimensions.
    int max_grid_dimensions[3] = {2147483647, 65535, 65535};
    /// Max threads per multiprocessor.
    int max_threads_per_multiprocessor = 2048;
    /// Max blocks per multiprocessor.
    int max_blocks_per_multiprocessor = 32;
    /// Registers per block.
    int registers_per_block = 65536;
    /// Registers per multiprocessor.
    int registers_per_multiprocessor = 65536;
    /// Shared bytes per multiprocessor.
    std::size_t shared_bytes_per_multiprocessor = 228 * 1024;
    std::size_t shared_bytes_per_block = 48 * 1024;        ///< without asking for more
    std::size_t shared_bytes_per_block_optin = 227 * 1024; ///< after cudaFuncSetAttribute
    std::size_t reserved_shared_bytes_per_block = 1024;    ///< taken by the driver for each block
    /// Shared allocation unit.
    std::size_t shared_allocation_unit = 128;
    /// Constant bytes.
    std::size_t constant_bytes = 64 * 1024;
    /// L2 bytes.
    int l2_bytes = 60 * 1024 * 1024;
    /// Persisting l2 bytes.
    int persisting_l2_bytes = 10 * (l2_bytes / 16);
    /// Access policy window bytes.
    int access_policy_window_bytes = 128 * 1024 * 1024;
    /// Memory clock khz.
    int memory_clock_khz = 3201000;
    /// Memory bus bits.
    int memory_bus_bits = 6016;
    /// Clock khz.
    int clock_khz = 1980000;
    /// Copy engines.
    int copy_engines = 3;
    std::size_t pitch_alignment = 512; ///< rows of cudaMallocPitch start at multiples of it
    /// Max pitch.
    std::size_t max_pitch = 2147483647;
    /// Texture alignment.
    std::size_t texture_alignment = 512;
    /// Texture pitch alignment.
    std::size_t texture_pitch_alignment = 32;
    int toolkit_version = 13000; ///< what cudaRuntimeGetVersion answers: 13.0
    /// Least stream priority.
    int least_stream_priority = 0;
    /// Greatest stream priority.
    int greatest_stream_priority = -5;
};

/// Those in force.
extern const DeviceLimits& device_limits;
/// To be called before the first CUDA call, which may ask for them.
void set_device_limits(const DeviceLimits& limits);

/// The least multiple of `multiple` that is not below `value`.
[[nodiscard]] constexpr std::size_t round_up(std::size_t value, std::size_t multiple)
{
    return (value + multiple - 1) / multiple * multiple;
}

/// Registers of a thread where nobody has compiled the kernel for a GPU: as many as leave every
/// thread of a multiprocessor its place.
inline constexpr int assumed_registers = 32;

/// How many blocks of `threads` threads a multiprocessor holds at once, each with `shared_bytes` of
/// shared memory, static and dynamic together; 0 if not even one. Registers are given out to warps
/// in units of 256, and to an even share of four schedulers.
[[nodiscard]] constexpr int resident_blocks(const DeviceLimits& limits, int threads,
                                            int registers_per_thread, std::size_t shared_bytes)
{
    const int warps = (threads + limits.warp_size - 1) / limits.warp_size;
    const auto registers_of_warp = static_cast<int>(
        round_up(static_cast<std::size_t>(limits.warp_size * registers_per_thread), 256));
    const std::size_t shared_of_block = round_up(
        shared_bytes + limits.reserved_shared_bytes_per_block, limits.shared_allocation_unit);
    return std::min(
        {limits.max_blocks_per_multiprocessor,
         limits.max_threads_per_multiprocessor / limits.warp_size / warps,
         limits.registers_per_multiprocessor / registers_of_warp / 4 * 4 / warps,
         shared_of_block == 0
             ? limits.max_blocks_per_multiprocessor
             : static_cast<int>(limits.shared_bytes_per_multiprocessor / shared_of_block)});
}

} // namespace cpu_device
