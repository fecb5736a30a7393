/// \file
/// The one seam between the two devices: everything else in `common` calls the CUDA runtime API
/// and does not know whether a GPU or the CPU device answers.
#pragma once

#include <cpu_device/operation.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

// Every chapter includes this header, and none needs to know which counters there are: a new one
// does not compile the chapters again.
namespace cpu_device {
struct LaunchRecord;
struct LaunchRequests;
} // namespace cpu_device

namespace common {

struct Card;
using cpu_device::LaunchRecord; // defined in <cpu_device/counts.hpp>
using cpu_device::Operation;

/// Which device this program was built for.
enum class Backend
{
    cpu, ///< the CPU device: runs kernels on the host and counts their memory transactions
    gpu  ///< an NVIDIA GPU: runs and times them
};

/// The device this program was built for.
[[nodiscard]] Backend backend();

/// Sets the number of devices of the CPU device, 1 to 4, all alike; does nothing on a GPU. Call it
/// before the first CUDA call. Throws std::invalid_argument, with a sentence, if `count` is out of
/// range or a device that would disappear has been used.
void set_device_count(int count);

/// Sets the GPU that the CPU device simulates: its attributes, and the caches of
/// LaunchRecord::traffic. The default is the first of the built-in GPUs. Call it before the first
/// CUDA call; `card` must outlive all launches. Does nothing on a GPU.
void model_card(const Card& card);

/// Discards the launches and calls recorded so far. Does nothing on a GPU.
void begin_counting();

/// Makes launches on the CPU device execute only as many blocks as the estimate of the whole grid's
/// cache traffic needs; the results of the kernels are then incomplete. Does nothing on a GPU.
void sample_launches();

/// Turns LaunchRecord::traffic of launches on the CPU device on or off. Does nothing on a GPU.
void simulate_caches(bool on);

/// Turns LaunchRecord::race of launches on the CPU device on or off. In a browser, some programs
/// cannot be checked, because their threads cannot wait for each other. Does nothing on a GPU.
void watch_races(bool on);

/// The launches since begin_counting(), in order; always empty on a GPU.
[[nodiscard]] std::vector<LaunchRecord> end_counting();

/// The calls of the runtime API since begin_counting(), in order, for a modelled timeline; always
/// empty on a GPU.
[[nodiscard]] std::vector<Operation> end_recording();

/// Notes that the host is about to read or write `bytes` at `address`, without a call of the
/// runtime API: a bar of the modelled timeline, named `label`. Managed pages on the device migrate
/// back, so call it also where nothing is timed. Does nothing on a GPU.
void note_host_work(const char* label, const void* address, std::size_t bytes,
                    Operation::HostRate rate = Operation::HostRate::cached);
/// The same for writes: they invalidate the device's copies of read-mostly managed pages.
void note_host_write(const char* label, const void* address, std::size_t bytes);

/// Seeds the order in which the CPU device runs the warps of a block and the lanes of a warp;
/// 0 is ascending order. Does nothing on a GPU.
void set_lane_order(std::uint64_t seed);

/// Makes the CPU device run the blocks of a launch one at a time, or concurrently again: a kernel
/// that polls the results of other blocks then has the same counts in every run. Does nothing on a
/// GPU.
void run_blocks_sequentially(bool on);

/// Calls `work` and returns the requests of the first warp of each launch in it, one by one; none
/// on a GPU.
[[nodiscard]] std::vector<cpu_device::LaunchRequests>
requests_of(const std::function<void()>& work);

/// True if `bytes` of device memory at `one` and at `other` hold the same bits. Throws CudaError.
[[nodiscard]] bool same_bits(const void* one, const void* other, std::size_t bytes);

/// `"g++ 12.2.0 -O2 ..."`: the compiler of the kernels, with its flags.
[[nodiscard]] std::string kernel_compiler();

} // namespace common
