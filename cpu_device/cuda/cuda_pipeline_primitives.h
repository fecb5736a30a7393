/// \file
/// `__pipeline_memcpy_async` and its kind: copies from global to shared memory.
///
/// The bytes move when the thread waits for them, the latest moment that a GPU allows: a kernel
/// that reads before it waits sees poison. Both accesses are counted where the copy is started,
/// each as one access.
#pragma once
#pragma GCC system_header

#include "cpu_device/detail/function.hpp"

#include <cstddef>

namespace cpu_device {

/// Starts copying `bytes` (4, 8 or 16, to and from addresses aligned to it) less the last
/// `zero_fill`, which become zero.
void start_async_copy(void* to, const void* from, std::size_t bytes, std::size_t zero_fill);
/// Ends the group of copies that the calling thread has started since the last call.
void commit_async_copies();
/// Waits for all groups of the calling thread but the latest `pending`.
void wait_async_copies(std::size_t pending);

} // namespace cpu_device

/// `zero_fill` bytes at the end are not copied but set to zero.
[[gnu::always_inline]] inline void
__pipeline_memcpy_async(void* to, const void* from, std::size_t bytes, std::size_t zero_fill = 0)
{
    cpu_device::start_async_copy(to, from, bytes, zero_fill);
    __asm__ volatile(""); // keeps the call a call: its return address tells the line
}
CPU_DEVICE_FUNCTION(void, __pipeline_commit, (), cpu_device::commit_async_copies())
CPU_DEVICE_FUNCTION(void, __pipeline_wait_prior, (std::size_t pending),
                    cpu_device::wait_async_copies(pending))
