/// \file
/// Copies that the threads of a group make together (cpu_device/detail/async_copy.hpp says when the
/// bytes move).
#pragma once
#pragma GCC system_header

#include "cooperative_groups.h"
#include "cpu_device/detail/async_copy.hpp"

#include <cstddef>

namespace cooperative_groups {

/// `bytes` bytes. Each call is a stage of its own to wait_prior().
template<class Group, class T>
[[gnu::always_inline]] inline void memcpy_async(const Group& group, T* to, const T* from,
                                                std::size_t bytes)
{
    cpu_device::start_async_share(to, from, bytes, group.thread_rank(), group.size());
    cpu_device::commit_async_copies();
}
/// As many elements as both layouts have.
template<class Group, class T>
[[gnu::always_inline]] inline void memcpy_async(const Group& group, T* to, std::size_t to_elements,
                                                const T* from, std::size_t from_elements)
{
    const std::size_t elements = to_elements < from_elements ? to_elements : from_elements;
    memcpy_async(group, to, from, elements * sizeof(T));
}
/// Waits for all copies of the group.
template<class Group>
void wait(const Group& group, SourceLine where = SourceLine::here())
{
    cpu_device::wait_all_async_copies();
    group.sync(where);
}
/// Waits for all but the latest `pending` copies of the group.
template<unsigned pending, class Group>
void wait_prior(const Group& group, SourceLine where = SourceLine::here())
{
    cpu_device::wait_async_copies(pending);
    group.sync(where);
}

} // namespace cooperative_groups
