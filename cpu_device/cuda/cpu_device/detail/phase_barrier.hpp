/// \file
/// The barrier behind cuda::barrier and cuda::pipeline: a count of arrivals, phase after phase.
#pragma once
#pragma GCC system_header

#include <cstddef>
#include <cstdint>

namespace cpu_device {

/// Lies in shared memory; its own accesses are not counted.
struct PhaseBarrier
{
    std::int32_t expected = 0; ///< arrivals that complete a phase
    std::int32_t arrived = 0;
    std::int32_t dropped = 0; ///< threads that will not arrive again after this phase
    std::uint32_t phase = 0;  ///< phases completed
};

void initialise(PhaseBarrier& barrier, std::int32_t expected);
/// Returns the phase that the arrival belongs to. The last one completes it, and with it the copies
/// that were started for the barrier.
std::uint32_t arrive(PhaseBarrier& barrier, std::int32_t count);
void arrive_and_drop(PhaseBarrier& barrier);
/// True once `phase` is complete.
[[nodiscard]] bool completed(const PhaseBarrier& barrier, std::uint32_t phase);
/// Waits until `phase` is complete. A phase that no thread can complete any more is a fault.
void wait(const PhaseBarrier& barrier, std::uint32_t phase);
/// As start_async_share(), completed with the barrier's current phase.
void start_async_share(void* to, const void* from, std::size_t bytes, std::size_t rank,
                       std::size_t threads, PhaseBarrier& barrier);
/// How many threads of the block pass true; a barrier of the block.
[[nodiscard]] std::int32_t count_in_block(bool predicate);

} // namespace cpu_device
