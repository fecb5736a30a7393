/// \file
/// The caches of a GPU: what the requests of a launch's blocks make of L1, L2 and DRAM.
///
/// Each rule below is what Nsight Compute's counters of an H200 show for the kernels of chapters 01
/// to 20; how close they come is measured, row by row, and shown with them.
///
/// - Blocks go to the SMs in turn; each holds as many as its threads and its shared
///   memory allow. Warps take turns: each runs until it has to wait (see waits()), four at a time.
/// - *L1* has what shared memory leaves of it, in lines of four 32-byte sectors; a load
///   fetches the sectors that are not there. A line that needs room replaces any other, but passes
///   over one that a second request has touched, once. A vector that each block reads anew misses
///   on its first use by an SM and then no more (chapters 32 and 33: 0.8 % of its
///   sectors, all of them first uses), however much streams past it. If what was used last were
///   kept instead, loads a microsecond apart would find too much again (chapter 03).
/// - A *sample* of blocks is of few SMs as full as those of the grid rather than of all
///   with a block each, and what its first and its last block both load was in their L1 before.
/// - *Stores* go through it to the L2. Those of one warp that follow each other are merged if they
///   touch one line: a queue holds the last 18 lines. Those of other warps are if they come soon: a
///   warp's turn closes three lines, so that stores to few lines are not, and to many are.
/// - *L2* keeps a part of what passes (39 MB on an H200), reads and writes alike. What it holds is
///   not read again; DRAM is read 64 bytes at a time. What is in flight, to it or to L1, is waited
///   for, until more than half of a wait is over. What is written leaves the L2 later: what is left
///   at the end of a launch is never seen. A sector of which only a part was written is read when
///   it leaves.
/// - What the whole grid touches of some pages says what is found in L2 again: a line is, until so
///   many others have come, each for as many blocks as it stands for.
/// - What blocks share, those in the middle of the sample tell: one at its edge shares it with
///   blocks that are not in it.
/// - An *atomic* sends each of its sectors as often as its most wanted address is wanted.
#pragma once

#include "common/model/card.hpp"

#include <cpu_device/trace.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace common {

using cpu_device::BlockTrace;
using cpu_device::LaunchTrace;
using cpu_device::TracedStep;
using cpu_device::Traffic;

/// Which steps of a warp begin after a wait for loads, in order.
///
/// A warp goes on past a load until something needs it: a store, an atomic, a write to shared
/// memory, a barrier, or a load whose own addresses were loaded: they follow no pattern, or the
/// source has one element as the index of another. Stores are passed where all pointers of the
/// kernel are `__restrict__`. A load of shared memory is needed by the next step that is none. An
/// asynchronous copy is waited for where the kernel says so; of waits that leave the last n groups
/// in flight one in n + 1 takes a whole latency. Loads of a loop go out together if the compiler
/// unrolls it: not behind `#pragma unroll 1`, nor where the step of its index is only known at run
/// time and the index is not signed; whole up to 32 rounds, each time
/// that it begins, else 16 of a loop with one load and four of others.
[[nodiscard]] std::vector<std::size_t> waits(const std::vector<TracedStep>& warp);

/// Rounds of a loop whose loads go out together: the compiler unrolls it so far.
inline constexpr unsigned unrolled = 4;

/// DRAM is read so many sectors at a time.
inline constexpr std::uintptr_t pair_sectors = 2;
inline constexpr double pair_bytes = pair_sectors * cpu_device::Counts::sector_bytes; ///< of those

/// What the counted blocks tell of the L2 and the whole grid.
struct OfGrid
{
    double bytes = 0;       ///< that are read from DRAM, but
    double again_bytes = 0; ///< for these: for a block that had loaded them before
};
/// That of a traced launch, of whose blocks an SM holds `resident` at a time. All zero where no
/// touches were sampled.
[[nodiscard]] OfGrid l2_of_grid(const LaunchTrace& trace, const Card& card, unsigned resident);

/// The traffic of a traced launch on a GPU.
[[nodiscard]] Traffic simulate_caches(const LaunchTrace& trace, const Card& card);

} // namespace common
