/// \file
/// cooperative_groups::reduce() over tiles. Values of at most 8 bytes.
#pragma once
#pragma GCC system_header

#include "cooperative_groups.h"

#include <functional>

namespace cooperative_groups {

using std::bit_and;
using std::bit_or;
using std::bit_xor;
using std::plus;
template<class T>
struct less
{
    T operator()(T a, T b) const { return b < a ? b : a; }
};
template<class T>
struct greater
{
    T operator()(T a, T b) const { return a < b ? b : a; }
};

/// `combine` over the values of all threads of the group, in the order of their ranks.
template<class Group, class T, class Combine>
T reduce(const Group& group, T value, Combine combine, CPU_DEVICE_WHERE)
{
    return cpu_device::reduce_lanes(group.cpu_device_mask(), value, combine, where);
}

} // namespace cooperative_groups
