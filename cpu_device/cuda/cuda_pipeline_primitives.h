/// \file
/// `__pipeline_memcpy_async` and its kind (cpu_device/detail/async_copy.hpp says when the bytes
/// move).
#pragma once
#pragma GCC system_header

#include "cpu_device/detail/async_copy.hpp"

/// `zero_fill` bytes at the end are not copied but set to zero.
[[gnu::always_inline]] inline void
__pipeline_memcpy_async(void* to, const void* from, std::size_t bytes, std::size_t zero_fill = 0)
{
    cpu_device::start_async_copy(to, from, bytes, zero_fill);
    __asm__ volatile(""); // keeps the call a call: its return address tells the line
}
inline void __pipeline_commit()
{
    cpu_device::commit_async_copies();
}
inline void __pipeline_wait_prior(std::size_t pending)
{
    cpu_device::wait_async_copies(pending);
}
