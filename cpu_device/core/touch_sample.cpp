#include "core/touch_sample.hpp"

#include <algorithm>

namespace cpu_device {

void TouchSample::keep(std::uintptr_t mask)
{
    mask_ = mask;
    std::erase_if(touches_, [this](const SampledTouch& touch) {
        return (page_number(touch.first) & mask_) != 0;
    });
}

void TouchSample::take(TouchSample& other)
{
    const std::uintptr_t mask = std::max(mask_, other.mask_);
    touches_.insert(touches_.end(), other.touches_.begin(), other.touches_.end());
    keep(mask);
    other.clear();
}

void TouchSample::reduce()
{
    while (touches_.size() > enough)
        keep(2 * mask_ + 1);
}

} // namespace cpu_device
