/// \file
/// The requests of warps in the order in which they make them: what a simulation of caches reads.
#pragma once

#include "cpu_device/counts.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace cpu_device {

/// Sectors of a line of L1 and L2: what has one tag.
inline constexpr std::size_t line_sectors = 4;
/// Bytes of such a line: 128.
inline constexpr std::size_t line_bytes = line_sectors * Counts::sector_bytes;

/// What a warp does with memory, or waits at.
enum class Step : std::uint8_t
{
    load,
    store,
    atomic,
    shared_load,
    shared_store,
    barrier,
    round,     ///< the next one of a loop that no compiler unrolls
    need,      ///< of what was loaded last
    unaliased, ///< from here on no store can change what is loaded behind it
    copied,    ///< the load and the store to shared memory before it go on by themselves,
    arrived    ///< until here: all such copies, but for those of the last TracedStep::lanes groups
};

/// A sector that a request touches.
struct TracedSector
{
    std::uintptr_t number = 0; ///< address / 32
    std::uint32_t bytes = 0;   ///< that the request touches, one bit each
    std::uint32_t same = 0;    ///< the most lanes that access one address of it
};

/// One request of a warp, or a barrier.
struct TracedStep
{
    Step step = Step::barrier;   ///< sectors come with the first three alone
    bool irregular = false;      ///< its addresses follow no pattern: they were loaded, as a rule
    std::uint8_t wavefronts = 0; ///< of L1; of shared memory without conflicts
    std::uint8_t lanes = 0;      ///< that take part, if it does; of Step::arrived: groups
    std::uint8_t lane_bytes = 0; ///< that each of them wants
    std::uint32_t site = 0;      ///< tells instructions of the launch apart
    std::uint32_t first = 0;     ///< of its sectors, in BlockTrace::sectors
    std::uint32_t count = 0;     ///< of its sectors
};

/// What the warps of one block did.
struct BlockTrace
{
    std::uint64_t block = 0;                    ///< its number in the grid
    std::vector<std::vector<TracedStep>> warps; ///< of each warp, in order
    std::vector<TracedSector> sectors;          ///< of all steps
    /// Wavefronts that its requests to shared memory need beyond the fewest, by TracedStep::site.
    std::map<std::uint32_t, std::uint64_t> conflicts = {};
    std::map<std::string, std::uint64_t> barriers = {}; ///< "k.cu:12": how often its threads meet

    /// Notes a step that requests nothing: every warp that is still running waited at a barrier,
    /// say.
    void add(std::size_t warp, Step step) { warps[warp].push_back({.step = step}); }
    /// How much of the host's memory it takes, as a number of sectors.
    [[nodiscard]] std::size_t size() const
    {
        std::size_t steps = sectors.size();
        for (const auto& warp : warps)
            steps += warp.size();
        return steps;
    }
};

/// Sectors side by side that a request touches.
struct SampledTouch
{
    std::uint64_t block = 0;    ///< its number in the grid
    std::uintptr_t first = 0;   ///< address / 32
    std::uint32_t round = 0;    ///< of its warp, which does nothing twice in one: of loops
    std::uint16_t weight = 1;   ///< sampling weight: blocks of the grid per sampled block
    std::uint8_t count = 0;     ///< of sectors
    Access kind = Access::load; ///< how
};

/// Blocks of a launch whose requests were traced: neighbours in the grid, in order, from its middle
/// if it is large.
struct LaunchTrace
{
    std::vector<BlockTrace> blocks; ///< one at least
    unsigned threads = 32;          ///< of a block
    std::size_t shared_bytes = 0;   ///< of a block, static and dynamic
    std::uint64_t grid_blocks = 1;  ///< of the whole launch
    // What is known of all blocks, not only of those; nothing where the others did not run.
    std::uint64_t requests = 0;             ///< of global memory
    std::uint64_t longest_requests = 0;     ///< of the warp that makes most of them
    std::vector<SampledTouch> touches = {}; ///< of some pages of memory, of the counted blocks,
    unsigned one_in = 1;                    ///< one page in so many
};

/// Tells what the whole launch asks of the memory behind L1.
using TraceSink = std::function<Traffic(const LaunchTrace&)>;

/// Who is told of traced launches (see Detail), and says what their LaunchRecord::traffic is:
/// nobody unless this is called.
void set_trace_sink(TraceSink sink);

/// "kernel.cu:12" of the instruction that TracedStep::site tells apart, in the innermost function
/// that is not of the CPU device; empty where nobody knows. Takes some tens of milliseconds.
[[nodiscard]] std::string line_of_site(std::uint32_t site);

} // namespace cpu_device
