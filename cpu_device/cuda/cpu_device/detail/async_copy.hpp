/// \file
/// Asynchronous copies from global to shared memory.
///
/// The bytes move when the thread waits for them, the latest moment that a GPU allows: a kernel
/// that reads before it waits sees poison. Both accesses are counted where the copy is started,
/// each as one access.
#pragma once
#pragma GCC system_header

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
