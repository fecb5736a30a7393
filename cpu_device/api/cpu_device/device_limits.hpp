/// \file
/// What a program sees of the devices: those of an NVIDIA H200, unless somebody says otherwise. The
/// only place with these figures.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace cpu_device {

/// Limits and properties that a program can request, alike for all devices; none of them changes
/// how fast it runs here. The compute capability is that which kernels are compiled for.
struct DeviceLimits
{
    static constexpr int max_threads_per_block = 1024; ///< of every GPU so far

    const char* name = "CPU device";  ///< no GPU's, since no GPU runs the program
    int compute_capability_major = 9; ///< as if kernels were compiled for sm_90
    int compute_capability_minor = 0; ///< the 0 of sm_90
    int multiprocessors = 132;        ///< those that blocks are spread over
    int warp_size = 32;               ///< threads; of every GPU so far
    /// Threads of a block in x, y and z, however few it has in all.
    int max_block_dimensions[3] = {1024, 1024, 64};
    /// Blocks of a grid in x, y and z: 2^31 - 1, and 2^16 - 1 in the others.
    int max_grid_dimensions[3] = {2147483647, 65535, 65535};
    int max_threads_per_multiprocessor = 2048; ///< resident at once: 64 warps
    int max_blocks_per_multiprocessor = 32;    ///< resident at once, however small
    int registers_per_block = 65536;           ///< of 32 bits
    int registers_per_multiprocessor = 65536;  ///< of 32 bits, shared by its resident blocks
    /// Of all resident blocks together, with what the driver takes for each.
    std::size_t shared_bytes_per_multiprocessor = 228 * 1024;
    std::size_t shared_bytes_per_block = 48 * 1024;        ///< without requesting more
    std::size_t shared_bytes_per_block_optin = 227 * 1024; ///< after cudaFuncSetAttribute
    std::size_t reserved_shared_bytes_per_block = 1024;    ///< taken by the driver for each block
    std::size_t shared_allocation_unit = 128; ///< bytes: a block's are rounded up to it
    std::size_t constant_bytes = 64 * 1024;   ///< of all __constant__ variables together
    int l2_bytes = 60 * 1024 * 1024; ///< the whole: data that both halves hold counts twice
    /// Of L2, what persisting accesses may take: ten sixteenths.
    int persisting_l2_bytes = 10 * (l2_bytes / 16);
    int access_policy_window_bytes = 128 * 1024 * 1024; ///< the longest range of one policy
    int memory_clock_khz = 3201000; ///< half the data rate: memory moves two bits a clock and wire
    int memory_bus_bits = 6016;     ///< wires of all memory together; with the clock, the peak
    int clock_khz = 1980000;        ///< of the SMs, at most
    int copy_engines = 3;           ///< with one alone, copies in and out take turns
    std::size_t pitch_alignment = 512;  ///< rows of cudaMallocPitch start at multiples of it
    std::size_t max_pitch = 2147483647; ///< bytes from row to row; copies of more are refused
    int toolkit_version = 13000;        ///< what cudaRuntimeGetVersion answers: 13.0
};

/// Those in force.
extern const DeviceLimits& device_limits;
/// To be called before the first CUDA call, which may request them.
void set_device_limits(const DeviceLimits& limits);

/// The least multiple of `multiple` that is not below `value`.
[[nodiscard]] constexpr std::size_t round_up(std::size_t value, std::size_t multiple)
{
    return (value + multiple - 1) / multiple * multiple;
}

/// Registers of a thread where nobody has compiled the kernel for a GPU: as many as leave every
/// thread of an SM its place.
inline constexpr int assumed_registers = 32;

/// How many blocks of `threads` threads an SM holds at once, each with `shared_bytes` of
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

/// What new device memory and a block's shared memory hold, repeated: a NaN as a float, a double
/// or a half, and a large negative number as an int.
inline constexpr std::uint32_t poison = 0xFFFA5A5A;

} // namespace cpu_device
