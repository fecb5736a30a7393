#include "core/sample.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace cpu_device {

namespace {

/// One of every `stride` neighbours, now this one, now that: what is the same at the end of every
/// row of blocks must not be met by all or by none.
bool chosen(std::uint64_t block, std::uint64_t stride)
{
    std::uint64_t mixed = (block / stride + 1) * 0x9E3779B97F4A7C15u;
    mixed ^= mixed >> 32;
    return block % stride == mixed % stride;
}

} // namespace

Sample::Sample(bool possible, std::uint64_t blocks, std::uint64_t first_traced)
    : all_(!possible || blocks <= first_blocks), blocks_(blocks), first_traced_(first_traced),
      part_blocks_((blocks + parts - 1) / parts)
{}

std::optional<std::size_t> Sample::stratum_of(std::uint64_t block)
{
    if (all_)
        return always_counted;
    std::unique_lock lock(mutex_);
    if (block > 0)
        wait_until(lock, [&] { return zero_done_; });
    if (block < first_)
        return always_counted;
    wait_until(lock, [&] { return known_parts_ > 0; });
    const std::uint64_t part = block / part_blocks_;
    while (known_parts_ <= part) {
        wait_until(lock, [&] { return pending_ == 0 || known_parts_ > part; });
        if (known_parts_ <= part)
            begin_part();
    }
    if (is_certain(block))
        return always_counted;
    const std::size_t stratum = stratum_of_part_.at(part);
    return chosen(block, strata_[stratum].stride) ? std::optional(stratum) : std::nullopt;
}

std::uint64_t Sample::weight(std::size_t stratum)
{
    const std::lock_guard lock(mutex_);
    return stratum == always_counted ? 1 : strata_[stratum].stride;
}

void Sample::add(std::uint64_t block, std::uint64_t requests, bool can)
{
    if (all_)
        return;
    const std::lock_guard lock(mutex_);
    if (block < first_) {
        note(requests);
        requests_.at(first_done_) = requests;
        can_ = can_ && can;
        zero_done_ = zero_done_ || block == 0;
        if (block == 0 && requests > enough_requests)
            first_ = 1;
        if (++first_done_ == first_)
            begin();
    } else if (!is_certain(block)) {
        if (!std::exchange(others_noted_, true)) // the first stand for themselves
            noted_ = sum_ = sum_of_squares_ = 0;
        note(requests);
        part_requests_ += requests;
        --pending_;
    }
    ++changes_;
    changes_.notify_all();
}

void Sample::note(std::uint64_t requests)
{
    ++noted_;
    sum_ += requests;
    sum_of_squares_ += requests * requests;
}

/// If all blocks made as many requests each.
std::uint64_t Sample::stride_for(double a_block) const
{
    constexpr double error = 0.1, most_times = 6;
    const auto blocks = static_cast<double>(blocks_);
    const double mean = static_cast<double>(sum_) / static_cast<double>(noted_);
    const double variance =
        static_cast<double>(sum_of_squares_) / static_cast<double>(noted_) - mean * mean;
    const double by_requests = a_block * blocks / static_cast<double>(enough_requests);
    // The error of a mean falls with the root of how many it is of.
    const double by_spread =
        variance > 0 ? blocks * error * error * mean * mean / variance : blocks;
    const double times = std::max(by_requests / most_times, std::min(by_requests, by_spread));
    return can_ ? static_cast<std::uint64_t>(std::ceil(std::max(times, 1.0))) : 1;
}

/// The first blocks have run.
void Sample::begin()
{
    // One that is far longer than the others says nothing of the grid.
    std::sort(requests_.begin(), requests_.begin() + static_cast<std::ptrdiff_t>(first_));
    const auto a_block = static_cast<double>(std::max<std::uint64_t>(requests_.at(first_ / 2), 1));
    const std::uint64_t stride = stride_for(a_block);
    const bool worth_an_estimate = stride > 2;
    strata_.push_back({worth_an_estimate ? stride : 1, 0});
    begin_part();
}

/// All blocks before it that are counted have run.
void Sample::begin_part()
{
    const std::uint64_t begin = known_parts_ * part_blocks_;
    const std::uint64_t end = std::min(begin + part_blocks_, blocks_);
    if (part_counted_ > 0) {
        const double a_block =
            static_cast<double>(part_requests_) / static_cast<double>(part_counted_);
        const std::uint64_t wanted = stride_for(a_block);
        const std::uint64_t stride = strata_.back().stride;
        if (wanted > 2 * stride || 2 * wanted < stride)
            strata_.push_back({wanted, 0});
    }
    if (begin <= first_traced_ && first_traced_ < end && strata_.back().stride > 1) {
        // A request is one step of a trace at least.
        const std::uint64_t blocks = traced_size * noted_ / std::max<std::uint64_t>(sum_, 1);
        traced_blocks_ =
            std::clamp<std::uint64_t>(blocks, 1, 1 + blocks_ / strata_.back().stride / 4);
    }
    part_counted_ = 0;
    part_requests_ = 0;
    for (std::uint64_t block = begin; block < end; ++block)
        if (block >= first_ && !is_certain(block)) {
            ++strata_.back().blocks;
            part_counted_ += chosen(block, strata_.back().stride);
        }
    pending_ = part_counted_;
    stratum_of_part_.at(known_parts_++) = strata_.size() - 1;
}

} // namespace cpu_device
