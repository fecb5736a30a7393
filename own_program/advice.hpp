/// \file
/// Why a kernel is no faster: what limits it, the access that shows it, what it would gain without,
/// and the page with the remedy.
#pragma once

#include "own_program/accesses.hpp"
#include "own_program/shapes.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace own_program {

/// What is behind a limit.
enum class Cause
{
    // Of the launch, before all that its accesses show:
    idle_blocks,
    small_blocks,
    few_blocks,
    occupancy, ///< shared memory leaves room for few blocks on an SM
    redundant, ///< threads load and store the same
    rewritten, ///< a thread stores to the same address again and again
    barriers,
    heap,  ///< malloc() and new in the kernel
    local, ///< more requests for an array in local memory than to global memory
           // Of its accesses:
    atomics,
    blocks,
    conflicts,
    few_lanes, ///< warps that come by an access again and again, with few lanes each time
    constant,
    host,
    irregular, ///< lanes all over the place,
    spread,    ///< or a fixed distance apart: more sectors than what they want would fill,
    narrow,    ///< because a row of the block is less than a warp,
    pieces,    ///< or because each takes a part of its own neighbouring bytes: fields of a struct,
    turned,    ///< or because neighbours on one side are far apart on the other
    latency,
    link,
    moved, ///< all that moves is wanted, once
    read_again,
    repeated, ///< many requests, each as good as it can be
    shared,
    uneven, ///< loops that most lanes of a warp leave long before the last one
    unused  ///< bytes that come with those that are wanted
};

/// 0 without a whole.
template<class Part, class Whole>
[[nodiscard]] double ratio(Part part, Whole whole)
{
    return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

inline constexpr unsigned lanes = 32; ///< of a warp

/// A kernel that is told of: its launch that takes longest.
struct Advised
{
    const Shape& shape;
    const common::LaunchRecord& launch;
    const Accesses& accesses;

    [[nodiscard]] std::string_view limit() const { return shape.longest.limited_by; }
    [[nodiscard]] const cpu_device::Traffic& traffic() const { return *launch.traffic; }
    [[nodiscard]] double blocks() const
    {
        return static_cast<double>(launch.grid[0]) * launch.grid[1] * launch.grid[2];
    }
    [[nodiscard]] unsigned threads() const ///< of a block
    {
        return launch.block[0] * launch.block[1] * launch.block[2];
    }
    [[nodiscard]] unsigned lanes_of_block() const { return (threads() + 31) / 32 * lanes; }
    [[nodiscard]] double warps() const { return blocks() * ((threads() + 31) / 32); }
    /// Requests to global memory of an average warp.
    [[nodiscard]] double requests() const
    {
        const common::Counts& all = launch.counts;
        return ratio(all.load_requests + all.store_requests + all.atomic_requests, warps());
    }
    /// Requests to local memory of an average warp.
    [[nodiscard]] double local_requests() const
    {
        const common::Counts& all = launch.counts;
        return ratio(all.local_load_requests + all.local_store_requests, warps());
    }
    /// The access with the most of something; null without any.
    [[nodiscard]] const Access* most(std::uint64_t Access::*what,
                                     cpu_device::Step first = cpu_device::Step::load,
                                     cpu_device::Step last = cpu_device::Step::atomic) const
    {
        const Access* found = nullptr;
        for (const Access& access : accesses.worst)
            if (access.step >= first && access.step <= last && access.*what > 0 &&
                (found == nullptr || access.*what > found->*what))
                found = &access;
        return found;
    }
};

/// Of modelled_card().
[[nodiscard]] inline const cpu_device::DeviceLimits& card_limits()
{
    return modelled_card()->limits;
}

/// Threads that want each byte of an access.
[[nodiscard]] inline double redundancy(const Access& access)
{
    return access.warps_of_byte * ratio(access.wanted, access.bytes);
}

/// Why most warps diverge, or one outlasts all others, and come by an access again and again with
/// few lanes each time; nothing if they do not. It needs no time.
[[nodiscard]] std::optional<Cause> cause_of_few_lanes(const Advised& told);
[[nodiscard]] Cause cause_of(const Advised& told);

/// How many times as fast it would be at most, and what would limit it then. The time is modelled
/// again without the cause; or it is that of the next busiest unit, if the limit alone goes.
struct Gain
{
    double times = 1;
    std::string_view next;
};

[[nodiscard]] Gain gain_of(const Advised& told, Cause cause);

inline constexpr double hardly = 1.05; ///< as fast as before: less is no gain

/// Of the kernels that take longest, three lines each, as wide as the terminal; how many are left
/// out, if any. Empty where nothing was modelled. `shapes` are those of `launches`.
[[nodiscard]] std::string advice(const std::vector<Shape>& shapes,
                                 const std::vector<common::LaunchRecord>& launches);

} // namespace own_program
