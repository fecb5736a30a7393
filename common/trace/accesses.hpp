/// \file
/// What single instructions of a kernel ask of memory, as the traced blocks of a launch show it:
/// the evidence for what limits the kernel.
#pragma once

#include <cpu_device/trace.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace common {

/// One instruction that loads or stores, with all its requests of the traced blocks.
struct Access
{
    cpu_device::Step step = cpu_device::Step::load; ///< load to shared_store
    std::uint32_t site = 0;                         ///< as TracedStep::site
    std::uint64_t requests = 0;                     ///< of the traced blocks
    std::uint64_t lanes = 0;                        ///< that take part, likewise of all requests
    std::uint64_t most_lanes = 0;                   ///< that take part in one of them
    std::uint64_t sectors = 0;                      ///< of global memory, that each request touches
    std::uint64_t runs = 0;                         ///< of adjacent sectors among these
    std::uint64_t bytes = 0;                        ///< of these, that it wants,
    std::uint64_t wanted = 0;          ///< and those of all lanes, which may want the same
    std::uint64_t fewest = 0;          ///< sectors that would hold them
    std::uint64_t wavefronts = 0;      ///< of L1, for global memory,
    std::uint64_t best_wavefronts = 0; ///< and those that would do
    std::uint64_t conflicts = 0;       ///< of the banks of shared memory
    std::uint64_t same = 0;            ///< of each request, the most lanes that access one address
    std::uint64_t irregular = 0;       ///< requests whose addresses follow no pattern
    double warps_of_byte = 1;          ///< warps of all blocks that access each byte,
    double times_of_byte = 1;          ///< and how often one of them does, of its first requests

    /// "the load of mine.cu:12"; "a load" where nobody knows the line.
    [[nodiscard]] std::string name() const;
    /// True if its requests touch far more sectors than would hold what they want: half as many
    /// more, and more than two, which two rows of a block take.
    [[nodiscard]] bool is_spread() const
    {
        return 2 * sectors > 3 * fewest && sectors > fewest + 2 * requests;
    }
    /// True if the sectors of a request lie in one place, or in the few rows that a block's lanes
    /// come from: adjacent lanes access elements that are close together.
    [[nodiscard]] bool is_together() const { return runs <= 4 * requests; }
    /// True if several adjacent lanes want different bytes of a sector, on average.
    [[nodiscard]] bool shares_sectors() const
    {
        return is_together() && bytes * lanes > sectors * wanted;
    }
    /// A number of it for each request.
    [[nodiscard]] double each(std::uint64_t number) const
    {
        return static_cast<double>(number) / static_cast<double>(requests);
    }
};

/// The accesses of a launch that may be the reason for its time.
struct Accesses
{
    std::vector<Access> worst; ///< by each of the questions that are asked of them
    double warps = 0;          ///< that were traced, all their requests
    /// Of the bytes of all sectors that the traced blocks touch, those that any of their requests
    /// wants.
    double used = 1;
    // Of what requests to global memory take, what they would if no byte came that they do not
    // want:
    double loads = 1;      ///< of the sectors of loads,
    double stores = 1;     ///< of those of stores,
    double wavefronts = 1; ///< of the wavefronts of L1
    double rounds = 1;     ///< how often a warp executes an average request to global memory
    double barriers = 0;   ///< how often a block waits at one
    std::string barrier;   ///< line of the one at which blocks wait most often
};

/// Those of a trace.
[[nodiscard]] Accesses accesses_of(const cpu_device::LaunchTrace& trace);

} // namespace common
