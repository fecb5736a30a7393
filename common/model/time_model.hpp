/// \file
/// How long a kernel launch would take on a GPU, and what bounds it: arithmetic on what the CPU
/// device counted, on the launch's shape and on a description of the GPU.
///
/// 1. Each unit (block launcher, load-store units, constant cache, L2, DRAM, atomics, the link to
///    another GPU) needs a time for all that the launch asks of it. No launch is faster than the
///    slowest.
/// 2. A block lives for a while: it starts, waits for its groups of loads one after the other, and
///    takes turns with others at the load-store unit. While DRAM is busy for a share u of its peak,
///    a wait for DRAM is longer by u / (1 - u) times the weight of the queue.
/// 3. An SM holds so many blocks at once: by Little's law their number over their life
///    is the rate at which blocks are done. The life depends on u, and u on the rate: the time is
///    where both agree, or that of the slowest unit if it is longer, with what a last wave takes
///    that is not full, and what a launch costs between two events.
#pragma once

#include "common/model/card.hpp"

#include <cpu_device/traffic.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cpu_device {
struct Counts; // <cpu_device/counts.hpp>
struct LaunchRecord;
} // namespace cpu_device

namespace common {

using cpu_device::assumed_registers;
using cpu_device::Counts;
using cpu_device::LaunchRecord;
using cpu_device::Traffic;

/// What a launch is and what it requests, as the model takes it: of the whole grid.
struct Demand : Traffic
{
    double blocks = 0;              ///< of the grid
    double threads = 32;            ///< of a block
    double dimensions = 1;          ///< of a block: 2 for 32 x 8
    double resident = 1;            ///< blocks that an SM holds: resident_blocks()
    double wavefronts = 0;          ///< of the load-store units, those of shared memory included
    double shared_wavefronts = 0;   ///< of these, of shared memory
    double constant_wavefronts = 0; ///< of constant memory, kernels' parameters included
    double l2_partial_sectors = 0;  ///< of those that are sent to L2, sectors that are not whole
    double dram_rows = 0;           ///< rows of DRAM that are opened, each for a few bytes
    double link_bytes = 0;          ///< that cross the link to other GPUs one way, the busier one
};

/// The demand of a recorded launch. `registers_per_thread` and `shared_bytes_per_block` (static and
/// dynamic) decide how many blocks are resident.
[[nodiscard]] Demand demand(const LaunchRecord& launch, const Traffic& traffic, const Card& card,
                            int registers_per_thread, std::size_t shared_bytes_per_block);

/// The least time that one unit needs, or that latency makes.
struct Bound
{
    std::string_view name; ///< "blocks", "latency", "lsu", "l2", "dram", ...
    double ms = 0;         ///< of the launch
};

/// How long a launch would take.
struct ModelledTime
{
    double ms = 0;               ///< between two events, cold caches
    std::string_view limited_by; ///< name of the bound that makes it so long
    std::vector<Bound> bounds;   ///< all of them
};

/// Why the model has no time for a launch, as the end of a sentence; empty where it has one: most
/// of its blocks read what others of the launch have written, or one block may outlast the others.
[[nodiscard]] std::string_view untimed(const Traffic& traffic, const Demand& demand,
                                       const Card& card);

/// The time of `demand` on `card`. A unit that is busy for Card::limiting_share of it limits it;
/// where none is, latency does: the queue before a busy unit is its doing. Throws
/// std::invalid_argument if no block can be resident, or if there is none.
[[nodiscard]] ModelledTime predict(const Demand& demand, const Card& card);

} // namespace common
