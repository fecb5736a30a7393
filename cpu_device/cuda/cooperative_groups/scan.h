/// \file
/// Prefix sums over tiles and coalesced groups. Values of at most 8 bytes.
#pragma once
#pragma GCC system_header

#include "cooperative_groups/reduce.h"

namespace cooperative_groups {

/// `combine` over the values of the ranks up to the caller's.
template<class Group, class T, class Combine = plus<T>>
T inclusive_scan(const Group& group, T value, Combine combine = {}, CPU_DEVICE_WHERE)
{
    const auto rank = static_cast<unsigned>(group.thread_rank());
    for (unsigned delta = 1; delta < group.size(); delta *= 2) {
        const T below = group.shfl_up(value, delta, where);
        if (rank >= delta)
            value = combine(below, value);
    }
    return value;
}

/// `combine` over the values of the ranks below the caller's; T{} for the first.
template<class Group, class T, class Combine = plus<T>>
T exclusive_scan(const Group& group, T value, Combine combine = {}, CPU_DEVICE_WHERE)
{
    const T below = group.shfl_up(inclusive_scan(group, value, combine, where), 1, where);
    return group.thread_rank() == 0 ? T{} : below;
}

} // namespace cooperative_groups
