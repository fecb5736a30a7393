/// \file
/// How n elements are shared among several devices.
#pragma once

#include <algorithm>
#include <cstddef>

namespace common {

//! [shares]
/// A part of n elements, which lie one behind another.
struct Share
{
    std::size_t first; ///< a multiple of four: float4s begin there; n where there is nothing
    std::size_t count; ///< 0 where there are fewer float4s than devices
};

/// The part that device k of `devices` adds up: whole float4s, and the last what is left.
inline Share share(std::size_t n, unsigned devices, unsigned k)
{
    const std::size_t each = ((n + 3) / 4 + devices - 1) / devices * 4;
    const std::size_t first = std::min(k * each, n);
    return {first, std::min(each, n - first)};
}
//! [shares]

} // namespace common
