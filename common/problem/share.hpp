/// \file
/// How n elements are shared among several devices.
#pragma once

#include <algorithm>
#include <cstddef>

namespace common {

//! [shares]
// The part of n elements that device k of P adds up: whole float4s, and the last what is left.
struct Share
{
    /// First.
    std::size_t first;
    /// Count.
    std::size_t count;
};

/// Share: see the class.
inline Share share(std::size_t n, unsigned devices, unsigned k)
{
    const std::size_t each = ((n + 3) / 4 + devices - 1) / devices * 4;
    const std::size_t first = std::min(k * each, n);
    return {first, std::min(each, n - first)};
}
//! [shares]

} // namespace common
