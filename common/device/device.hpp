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
using cpu_device::LaunchRecord; // whoever looks into one includes <cpu_device/counts.hpp>
using cpu_device::Operation;

/// Which device this program was built for.
enum class Backend
{
    cpu, ///< the CPU device: runs kernels on the host and counts their memory transactions
    gpu  ///< an NVIDIA GPU: runs and times them
};

/// The device this program was built for.
[[nodiscard]] Backend backend();

/// Has the program see `count` devices on the CPU device, 1 to 4, all alike; nothing to do on a
/// GPU. To be called before the first CUDA call. Throws std::invalid_argument, with a sentence, if
/// `count` is out of range or a device that would go away has been used.
void set_device_count(int count);

/// From here on the CPU device is this GPU: what a program sees of it, and the caches of which
/// LaunchRecord::traffic tells; the first of GPUs() unless this is called. To be called before the
/// first CUDA call; `card` outlives the program's launches. Nothing to do on a GPU.
void model_card(const Card& card);

/// Forgets the launches and calls recorded so far (CPU device; nothing to do on a GPU).
void begin_counting();

/// From here on launches on the CPU device execute no more blocks than it takes to tell what the
/// whole grid would ask of the caches; what the kernels compute is lost. Nothing to do on a GPU.
void sample_launches();

/// From here on, or no longer, LaunchRecord::traffic is told of launches on the CPU device. Nothing
/// to do on a GPU.
void simulate_caches(bool on);

/// From here on, or no longer, LaunchRecord::race is told of launches on the CPU device, where its
/// threads can be made to wait for each other: in a browser not of every program. Nothing to do on
/// a GPU.
void watch_races(bool on);

/// The launches since begin_counting(), in order; always empty on a GPU.
[[nodiscard]] std::vector<LaunchRecord> end_counting();

/// The calls of the runtime API since begin_counting(), in order, for a modelled timeline; always
/// empty on a GPU.
[[nodiscard]] std::vector<Operation> end_recording();

/// Says that the host is about to read or write `bytes` at `address`, which no call of the runtime
/// API tells: a bar of the modelled timeline, named `label`. Managed memory that a kernel or a
/// prefetch has moved to the device comes back for it; say so also where nothing is timed, so that
/// the model knows where it is. Nothing to do on a GPU.
void note_host_work(const char* label, const void* address, std::size_t bytes,
                    Operation::HostRate rate = Operation::HostRate::cached);
/// The same, where the host writes: the device loses its copies of read-mostly managed memory.
void note_host_write(const char* label, const void* address, std::size_t bytes);

/// Seeds the order in which the CPU device runs the warps of a block and the lanes of a warp;
/// 0 is ascending order. Nothing to do on a GPU.
void set_lane_order(std::uint64_t seed);

/// From here on, or no longer, the CPU device runs one block of a launch at a time: how often a
/// block requests what an earlier one has not written yet is then the same each time. Nothing to do
/// on a GPU.
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
