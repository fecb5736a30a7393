/// \file
/// Who touches which sectors of some pages, drawn at random, in the whole of a launch: enough to
/// tell what a cache that all blocks share finds again.
#pragma once

#include "cpu_device/trace.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace cpu_device {

/// The touches that one thread of the host sees. It begins with all pages and keeps half of them
/// whenever there are too many touches.
class TouchSample
{
  public:
    /// Sets the sampling weight of the touches that follow: blocks that theirs stands for.
    void set_weight(std::uint64_t blocks)
    {
        constexpr std::uint64_t most_blocks = std::numeric_limits<std::uint16_t>::max();
        weight_ = static_cast<std::uint16_t>(std::min(blocks, most_blocks));
    }
    /// Notes it if its first sector is in a page that is kept.
    void note(const SampledTouch& touch)
    {
        if ((page_number(touch.first) & mask_) != 0) [[likely]]
            return;
        touches_.push_back(touch);
        touches_.back().weight = weight_;
        if (touches_.size() == most)
            keep(2 * mask_ + 1);
    }
    /// Adds those of another thread: of pages that both keep.
    void take(const TouchSample& other)
    {
        const std::uintptr_t mask = std::max(mask_, other.mask_);
        touches_.insert(touches_.end(), other.touches_.begin(), other.touches_.end());
        keep(mask);
    }
    /// Ends with no more than a launch needs. Which ones does not depend on how threads of the
    /// host have shared the blocks: each has kept more.
    void reduce()
    {
        while (touches_.size() > enough)
            keep(2 * mask_ + 1);
    }
    /// One page in so many is kept.
    [[nodiscard]] unsigned one_in() const { return static_cast<unsigned>(mask_ + 1); }
    [[nodiscard]] std::vector<SampledTouch>& touches() { return touches_; }

  private:
    static constexpr std::size_t most = std::size_t{1} << 19;   ///< of a thread
    static constexpr std::size_t enough = std::size_t{1} << 17; ///< of a launch

    /// At random, so that no stride of a kernel meets kept pages alone.
    [[nodiscard]] static std::uintptr_t page_number(std::uintptr_t sector)
    {
        constexpr std::uintptr_t page_sectors = 32;           // most requests are no longer
        constexpr std::uint64_t scatter = 0x9e3779b97f4a7c15; // 2^64 by the golden ratio
        return static_cast<std::uintptr_t>(sector / page_sectors * scatter >> 32U);
    }
    void keep(std::uintptr_t mask)
    {
        mask_ = mask;
        std::erase_if(touches_, [this](const SampledTouch& touch) {
            return (page_number(touch.first) & mask_) != 0;
        });
    }

    std::vector<SampledTouch> touches_;
    std::uintptr_t mask_ = 0; ///< bits of page_number() that are 0 in pages that are kept
    std::uint16_t weight_ = 1;
};

} // namespace cpu_device
