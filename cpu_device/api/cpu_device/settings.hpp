/// \file
/// How programs run on the CPU device, for whoever starts them.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>

namespace cpu_device {

/// What may be set before the first CUDA call.
struct Settings
{
    int devices = 1; ///< that the program sees, unless set_device_count() says otherwise
    /// Seconds for which threads may do nothing but read the same addresses before that is a fault.
    double patience = 10;
    /// A failed assertion in a kernel ends that kernel and not the program; calls that wait return
    /// cudaErrorAssert.
    bool assertion_returns = false;
    /// Looks for accesses that no barrier orders (LaunchRecord::race), has the lanes of a warp run
    /// in step in kernels that depend on it, and tells of a copy to the host of what nobody has
    /// written.
    bool watchful = false;
    /// Of `watchful`, LaunchRecord::race alone.
    bool watches_races = false;
    /// Launches of one configuration that are counted before the others run uncounted; as a rule
    /// all. Nothing: as many as make 2^20 requests, 128 at most, and of a launch that makes more, a
    /// sample of the blocks.
    std::optional<std::uint64_t> counted_launches = std::numeric_limits<std::uint64_t>::max();

    /// Seeds the order in which the warps of a block and the lanes of a warp run; 0 is ascending. A
    /// kernel that misses a barrier goes wrong in some order. To be set between any two launches.
    std::uint64_t lane_order = 0;
    /// The blocks of a launch run one at a time, in order of their numbers, on a host with more
    /// processors too: what a block reads of flags that earlier ones set, and how often it reads
    /// them, is then the same each time. Cooperative launches run as ever. To be set likewise.
    bool sequential_blocks = false;

    /// The registers that a thread of a kernel has on a GPU; 0, or no function, where nobody knows.
    std::function<int(const std::string& kernel)> registers_of;

    /// How a reader of a report can set this, in words that it takes up: "PATIENCE=SECONDS". Empty:
    /// says nothing of it.
    std::string how_to_be_patient;
    /// Follows what is said of a null pointer of the host's, such as an argument that is not there.
    std::string advice_on_bad_access;
    /// Called before the sentence of a fault.
    std::function<void()> before_fault = [] {};
    /// Follows what is said of a pitch that is taken for elements: " (page)".
    std::string page_on_pitch;
};

/// Those of the process.
[[nodiscard]] Settings& settings();

/// As many devices as there can be at most.
inline constexpr int max_devices = 4;

/// Devices that the program sees: what set_device_count() says, or Settings::devices.
[[nodiscard]] int device_count();

/// To be called before the first CUDA call, which may request the number; it takes precedence over
/// the settings. All devices are alike, each with its memory, its streams and its events. Throws
/// std::invalid_argument, with a sentence, if `count` is not 1 to max_devices, or if a device that
/// would go away has been used.
void set_device_count(int count);

} // namespace cpu_device
