/// \file
/// What the workers of a launch have found, and how that stands for the whole grid.
#pragma once

#include "core/executor.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

namespace cpu_device {

/// What the workers of a launch have found, added up.
struct LaunchTotals : BlockFindings
{
    Counts counts;
    /// Of blocks that a sample has chosen, by Sample::Stratum: what they counted, and how many.
    struct Strata
    {
        std::vector<Counts> counts;
        std::vector<std::uint64_t> counted;

        void add(std::size_t stratum, const Counts& own, std::uint64_t blocks = 1)
        {
            counts.resize(std::max(counts.size(), stratum + 1));
            counted.resize(counts.size());
            counts[stratum] += own;
            counted[stratum] += blocks;
        }
    } strata{};
    std::vector<std::uint64_t> blocks_of_strata;
    PeerTraffic peers{};
    std::vector<LocalArrayTraffic> local_arrays;
    std::uint64_t blocks = 0;            ///< executed,
    std::uint64_t counted = 0;           ///< of them, counted,
    double seconds = 0;                  ///< in which the host's threads did that
    std::uint64_t waits = 0;             ///< of their threads
    std::atomic<std::uint64_t> idle = 0; ///< LaunchRecord::idle_blocks
    PeerSectors host{};
    bool may_wait_unseen = false; ///< of any
    std::mutex mutex{};

    /// A worker has ended its part of the launch: `own_blocks` blocks, of which it has counted
    /// `own_counted` in `own_seconds`, those of a sample as `own_strata`.
    void add(Worker& worker, std::uint64_t own_blocks, std::uint64_t own_counted,
             double own_seconds = 0, const Strata& own_strata = {});
    /// From the blocks that a sample chose to all that were not counted for certain.
    void scale_sample();
};

void scale(Counts& counts, double factor);
/// What all blocks touch of an allocation, where some touch so much: not more than there is, which
/// is what blocks share that read all of it.
void scale_to_grid(Touched& touched, double factor);
/// All of them, but those of constant and local memory.
[[nodiscard]] std::uint64_t requests_of(const Counts& counts);
/// Gives back the memory of large arrays all over which the traced blocks have stored, and that
/// none has read: each such store takes a page, and of a sample nobody reads the results.
void forget_scattered_stores(const std::vector<BlockTrace>& traces);
/// Keeps the blocks that one thread would have traced: of the last, several threads trace now more,
/// now fewer.
void drop_late(std::vector<BlockTrace>& traces);

} // namespace cpu_device
