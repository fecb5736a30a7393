// What the L2 finds again in the whole grid of a launch, as the touches of its counted blocks tell.
#include "common/model/cache_model.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace common {

using cpu_device::Access;
using cpu_device::LaunchTrace;
using cpu_device::line_bytes;
using cpu_device::line_sectors;
using cpu_device::SampledTouch;

namespace {

struct Line
{
    std::uint64_t block = 0; ///< that touched it last
    unsigned blocks = 1;     ///< of those that were counted, that touch it
    double came = 0;         ///< lines of the grid that had come to the L2 with it
    unsigned pairs = 0;      ///< of sectors that were fetched or stored, a bit each
};

/// Calls `each` with the number of each line of a touch, and the pairs of its sectors, a bit each.
template<class Each>
void for_each_line(const SampledTouch& touch, const Each& each)
{
    const std::uintptr_t end = touch.first + touch.count;
    for (std::uintptr_t sector = touch.first; sector < end;) {
        const std::uintptr_t number = sector / line_sectors;
        unsigned pairs = 0;
        for (; sector < end && sector / line_sectors == number; ++sector)
            pairs |= 1U << sector % line_sectors / pair_sectors;
        each(number, pairs);
    }
}

} // namespace

OfGrid l2_of_grid(const LaunchTrace& trace, const Card& card, unsigned resident)
{
    std::unordered_map<std::uintptr_t, Line> lines;
    for (const SampledTouch& touch : trace.touches)
        for_each_line(touch, [&](std::uintptr_t number, unsigned /*pairs*/) {
            Line& line = lines.try_emplace(number, Line{touch.block}).first->second;
            line.blocks += std::exchange(line.block, touch.block) != touch.block;
        });
    // The order in which the L2 sees them: all blocks that are resident at a time make their
    // requests side by side, of a loop some rounds at once.
    const std::uint64_t slots =
        std::uint64_t{resident} * static_cast<unsigned>(card.limits.multiprocessors);
    std::vector<SampledTouch> order = trace.touches;
    const auto turn = [slots](const SampledTouch& touch) {
        return std::tuple(touch.block / slots, touch.round / unrolled, touch.block);
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](const SampledTouch& one, const SampledTouch& other) {
                         return turn(one) < turn(other);
                     });

    // Lines that L2 keeps, of those that are seen.
    const double kept =
        card.l2_kept_lines * static_cast<double>(card.limits.l2_bytes) / line_bytes / trace.one_in;
    double came = 0; // lines of the grid, to the L2
    OfGrid found;
    for (const SampledTouch& touch : order)
        for_each_line(touch, [&](std::uintptr_t number, unsigned pairs) {
            Line& line = lines.find(number)->second;
            const bool left = line.pairs != 0 && came - line.came > kept;
            // A shared line that was fetched once was fetched for all; one that has left was lost
            // to all that come now. Those of one block stand for those of which none was counted.
            const double stands_for = left || line.blocks == 1 ? touch.weight : 1;
            const unsigned lost = left ? std::exchange(line.pairs, 0) : 0;
            const unsigned missing = pairs & ~line.pairs;
            line.pairs |= missing;
            const bool again = line.block == touch.block && (missing & lost) != 0;
            if (touch.kind != Access::store) // fetches what L2 does not have
                (again ? found.again_bytes : found.bytes) +=
                    pair_bytes * trace.one_in * std::popcount(missing) * stands_for;
            if (missing != 0)
                line.came = came += stands_for;
            line.block = touch.block;
        });
    return found;
}

} // namespace common
