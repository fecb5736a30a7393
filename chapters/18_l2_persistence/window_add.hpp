// An array whose start, the window, is added to all of it.
#pragma once

#include "common/problem/arrays.hpp"

#include <utility>

/// c[i] = a[i] + a[i % window] on `n` floats: `a` and `c` stream past, the window comes back.
/// bytes() counts both arrays once, since no solution must read the window twice.
class WindowAdd : public common::Arrays<float>
{
  public:
    /// `size` floats. What is expected is still to be said, by set_window().
    WindowAdd(const common::Setting& setting, std::size_t size)
        : Arrays(setting, {.task = "window add", .n = size})
    {}

    /// The window of the variants from here on, a multiple of four floats.
    void set_window(std::size_t floats)
    {
        if (std::exchange(window, floats) == floats)
            return; // what has been computed is kept
        expect([floats](const common::Inputs<float>& in, std::size_t i) {
            return in.a[i] + in.a[i % floats];
        });
    }

    std::size_t window = 0; ///< the first floats of `a`, which are added to all
};
