/// \file
/// An array whose start is added to all of it, again and again.
#pragma once

#include "common/problem/problem.hpp"

#include <cstddef>
#include <vector>

namespace common {

/// c[i] = a[i] + a[i % window] on `n` floats: `a` and `c` stream past, the window comes back.
/// bytes() counts both arrays once, since no solution must read the window twice.
class WindowAdd : public UnaryProblem
{
  public:
    /// `size` floats. Throws CudaError when memory is exhausted.
    WindowAdd(const Chapter& chapter, std::size_t size);

    [[nodiscard]] Verdict verify() override;
    /// The window of the variants from here on, 1 to `n` floats.
    void set_window(std::size_t floats);

    const float* a;     ///< input, device memory
    float* c;           ///< output, device memory
    std::size_t n;      ///< floats of each
    std::size_t window; ///< the first floats of `a`, which are added to all; at first all of them

  private:
    std::vector<float> start_; ///< the window on the host, once it is needed
};

} // namespace common
