/// \file
/// An array whose start, the window, is added to all of it.
#pragma once

#include "common/problem/arrays.hpp"

namespace common {

/// c[i] = a[i] + a[i % window] on `n` floats: `a` and `c` stream past, the window comes back.
/// bytes() counts both arrays once, since no solution must read the window twice.
class WindowAdd : public Arrays<float>
{
  public:
    /// `size` floats. What is expected is still to be said, by set_window().
    WindowAdd(const Setting& setting, std::size_t size);

    /// The window of the variants from here on, a multiple of four floats.
    void set_window(std::size_t floats);

    std::size_t window = 0; ///< the first floats of `a`, which are added to all
};

} // namespace common
