/// \file
/// How far from the right result a floating-point result may be.
#pragma once

#include "common/problem/element.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>

namespace common {

/// A result, and the largest error that a kernel may make before it rounds to the output's format.
struct Tolerance
{
    double value = 0; ///< the right result
    double error = 0; ///< absolute, and not negative
};

/// Returns the tolerance of element i of an output. Called from several threads.
using Tolerances = std::function<Tolerance(std::size_t i)>;

/// True if the number of that format at `got` is what rounding makes of a number within the
/// tolerance. A NaN never is, nor is any number where the tolerance has a NaN.
[[nodiscard]] inline bool accepts(const Tolerance& tolerance, Element format, const void* got)
{
    const double x = load_number(format, got);
    if (std::abs(x - tolerance.value) <= tolerance.error)
        return true;
    // Rounding keeps the order: of the numbers outside of the interval, only those that its ends
    // are rounded to are right, too.
    const double end =
        x < tolerance.value ? tolerance.value - tolerance.error : tolerance.value + tolerance.error;
    return x == rounded_to(format, end);
}

/// Relative error of a float sum of non-negative terms, each of which passes through at most
/// `additions` additions: k u / (1 - k u) with u = 2^-24 (Higham, Accuracy and Stability of
/// Numerical Algorithms, 2nd ed., sections 3.1 and 4.2). With terms of both signs it is relative to
/// the sum of their magnitudes. Infinite from 2^24 additions on: one after another, they may lose
/// any number of terms.
[[nodiscard]] constexpr double sum_error_bound(std::uint64_t additions)
{
    const double ku = static_cast<double>(additions) / (1 << 24);
    return ku < 1 ? ku / (1 - ku) : std::numeric_limits<double>::infinity();
}

} // namespace common
