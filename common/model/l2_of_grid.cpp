#include "common/model/l2_of_grid.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>
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

/// Weights of places in a row, of which a part can be summed.
class Sums
{
  public:
    explicit Sums(std::size_t places) : sums_(places + 1) {}
    void add(std::size_t place, double weight)
    {
        for (++place; place < sums_.size(); place += place & (~place + 1))
            sums_[place] += weight;
    }
    /// Of the first so many places.
    [[nodiscard]] double first(std::size_t places) const
    {
        double sum = 0;
        for (; places > 0; places &= places - 1)
            sum += sums_[places];
        return sum;
    }

  private:
    std::vector<double> sums_; ///< a Fenwick tree
};

/// The touches that a launch has sampled, in the order in which the L2 sees them: all blocks that
/// are resident at a time make their requests side by side, of a loop some rounds at once.
class TouchesOfGrid
{
  public:
    TouchesOfGrid(const LaunchTrace& trace, const Card& card, unsigned resident)
        : kept_lines_(card.l2_kept_lines),
          all_lines_(static_cast<double>(card.limits.l2_bytes) / line_bytes / trace.one_in),
          one_in_(trace.one_in)
    {
        const std::uint64_t slots =
            std::uint64_t{resident} * static_cast<unsigned>(card.limits.multiprocessors);
        const auto turn = [slots](const SampledTouch& touch) {
            return std::tuple(touch.block / slots, touch.round / unrolled, touch.block);
        };
        order_.reserve(trace.touches.size());
        std::size_t places = 0;
        for (const SampledTouch& touch : trace.touches) {
            order_.push_back(&touch);
            places += last_line(touch) - first_line(touch) + 1;
            for (std::uintptr_t line = first_line(touch); line <= last_line(touch); ++line) {
                Line& known = lines_.try_emplace(line, Line{touch.block}).first->second;
                known.blocks += std::exchange(known.block, touch.block) != touch.block;
                known.loaded |= fetches(touch);
            }
        }
        count_shared();
        std::stable_sort(order_.begin(), order_.end(), [&](const auto* one, const auto* other) {
            return turn(*one) < turn(*other);
        });
        lines_behind_ = Sums(places);
    }

    [[nodiscard]] OfGrid look()
    {
        for (const SampledTouch* touch : order_)
            for (std::uintptr_t line = first_line(*touch); line <= last_line(*touch); ++line)
                visit(*touch, line);
        return found_;
    }

  private:
    static constexpr std::size_t never = ~std::size_t{0};

    struct Line
    {
        std::uint64_t block = 0;  ///< that touched it last
        unsigned blocks = 1;      ///< of those that were counted, that touch it
        bool loaded = false;      ///< by one of them
        std::size_t last = never; ///< when
        double weight = 0;        ///< lines of the grid that it stands for
        unsigned pairs = 0;       ///< of sectors that were fetched or stored, a bit each
    };

    /// Lines of which one block was counted stand for those of which none was. Were each line of
    /// few blocks, so many more would be of two: by Chao, n1^2 / 2 n2 of them are not seen, where
    /// n1 are of one and n2 of two.
    void count_shared()
    {
        double of_one = 0;
        double of_two = 0;
        for (const auto& [_, line] : lines_) {
            of_one += line.loaded && line.blocks == 1;
            of_two += line.loaded && line.blocks == 2;
        }
        if (of_two > 0)
            most_stand_for_ = 1 + of_one / (2 * of_two);
    }
    /// Lines of the grid that one stands for, if its block stands for so many.
    [[nodiscard]] double stands_for_lines(const Line& line, double blocks) const
    {
        return line.blocks > 1 ? 1 : std::min(blocks, line.loaded ? most_stand_for_ : blocks);
    }

    /// From DRAM, what L2 does not have.
    static bool fetches(const SampledTouch& touch)
    {
        return touch.kind == Access::load || touch.kind == Access::atomic;
    }
    static std::uintptr_t first_line(const SampledTouch& touch)
    {
        return touch.first / line_sectors;
    }
    static std::uintptr_t last_line(const SampledTouch& touch)
    {
        return (touch.first + touch.count - 1) / line_sectors;
    }
    /// The sectors of a line that are touched, a bit each.
    static unsigned sectors_of(const SampledTouch& touch, std::uintptr_t line)
    {
        const std::uintptr_t begin = line * line_sectors;
        const std::uintptr_t first = std::max(touch.first, begin) - begin;
        const std::uintptr_t end =
            std::min<std::uintptr_t>(touch.first + touch.count - begin, line_sectors);
        return (1U << end) - (1U << first);
    }
    static unsigned pairs_of(unsigned sectors)
    {
        return ((sectors | sectors >> 1) & 1) | ((sectors >> 2 | sectors >> 3) & 1) << 1;
    }

    void visit(const SampledTouch& touch, std::uintptr_t number)
    {
        Line& line = lines_.at(number);
        const bool known = line.last != never;
        const bool own = known && line.block == touch.block;
        const double stands_for = touch.stands_for;
        double between = 0; // of all lines
        if (known) {
            between = (lines_behind_.first(now_) - lines_behind_.first(line.last + 1)) / all_lines_;
            lines_behind_.add(line.last, -line.weight);
        }
        const bool left = between > kept_lines_;
        const unsigned sectors = sectors_of(touch, number);
        const unsigned before = left ? std::exchange(line.pairs, 0) : line.pairs;
        const unsigned missing = pairs_of(sectors) & ~line.pairs;
        line.pairs |= missing;
        if (fetches(touch)) {
            // A shared line that was fetched once was fetched for all; one that has left was lost
            // to all that come now.
            const double bytes = pair_bytes * one_in_ * std::popcount(missing) *
                                 (left ? stands_for : stands_for_lines(line, stands_for));
            (own && (missing & before) != 0 ? found_.again_bytes : found_.bytes) += bytes;
        }
        line.block = touch.block;
        line.last = now_++;
        line.weight = stands_for_lines(line, stands_for);
        lines_behind_.add(line.last, line.weight);
    }

    double kept_lines_; ///< Card::l2_kept_lines
    double all_lines_;  ///< that L2 can hold, of those that are seen
    /// What a line that one block loads stands for at most.
    double most_stand_for_ = std::numeric_limits<double>::infinity();
    double one_in_;
    std::vector<const SampledTouch*> order_;
    std::unordered_map<std::uintptr_t, Line> lines_;
    Sums lines_behind_{0}; ///< by when they were touched last
    std::size_t now_ = 0;
    OfGrid found_;
};

} // namespace

OfGrid l2_of_grid(const LaunchTrace& trace, const Card& card, unsigned resident)
{
    return TouchesOfGrid(trace, card, resident).look();
}

} // namespace common
