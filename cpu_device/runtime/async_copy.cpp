/// \file
/// Asynchronous copies: a queue for each thread of the block that runs on this thread of the host.
#include "cpu_device/detail/async_copy.hpp"

#include "core/faults.hpp"
#include "core/kernels.hpp"
#include "cpu_device/detail/builtins.hpp"
#include "cpu_device/detail/phase_barrier.hpp"
#include "cpu_device/device_limits.hpp"
#include "cpu_device/poison.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace cpu_device {
namespace {

struct Copy
{
    void* to;
    const void* from;
    std::size_t bytes;
    std::size_t zero_fill;
    std::size_t group;

    void run() const
    {
        auto* const target = static_cast<std::byte*>(to);
        const std::size_t copied = bytes - zero_fill;
        std::memcpy(target, from, copied);
        std::memset(target + copied, 0, zero_fill);
    }
};

/// The copies that one thread of a kernel has started, and its groups committed so far.
struct Queue
{
    std::vector<Copy> copies;
    std::size_t group = 0;
    std::uint64_t block = 0; ///< the block that they belong to

    /// Runs the copies of the groups before `end`.
    void run_until(std::size_t end)
    {
        const auto later =
            std::ranges::find_if(copies, [end](const Copy& copy) { return copy.group >= end; });
        std::for_each(copies.begin(), later, [](const Copy& copy) { copy.run(); });
        copies.erase(copies.begin(), later);
    }
};

thread_local std::vector<Queue> queues; ///< by thread of the block

Queue& own_queue()
{
    if (queues.empty())
        queues.resize(static_cast<std::size_t>(device_limits.max_threads_per_block));
    Queue& queue = queues[(threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x];
    if (queue.block != blocks_begun()) // what the block before has not waited for is dropped
        queue = {.copies = {}, .group = 0, .block = blocks_begun()};
    return queue;
}

/// Copies that end with a phase of a barrier instead of a wait of their thread.
struct BoundCopy
{
    const PhaseBarrier* barrier;
    Copy copy;
};

thread_local std::vector<BoundCopy> all_bound_copies;
thread_local std::uint64_t block_of_bound_copies = 0;

/// Those of the block that runs.
std::vector<BoundCopy>& bound_copies()
{
    if (std::exchange(block_of_bound_copies, blocks_begun()) != blocks_begun())
        all_bound_copies.clear();
    return all_bound_copies;
}

/// Turns that a thread gives away before it holds that a phase will not end: each lets all other
/// warps run as far as they can.
constexpr int barrier_patience = 65536;

bool aligned(const void* address, std::size_t bytes)
{
    return reinterpret_cast<std::uintptr_t>(address) % bytes == 0;
}

/// Counts both accesses of a copy, and poisons where it goes: until the copy is waited for, a GPU
/// may show anything there, and what happened to be there before could pass for a result.
void begin_copy(void* to, const void* from, std::size_t bytes, const std::byte* site)
{
    record_access(from, bytes, Access::load, site);
    record_access(to, bytes, Access::store, site + 1); // an instruction of its own to the tracer
    auto* const target = static_cast<std::byte*>(to);
    for (std::size_t i = 0; i < bytes; ++i)
        target[i] = static_cast<std::byte>(poison >> (i % sizeof poison * 8));
}

/// Calls `start` with the thread's share of a copy, unit by unit.
template<class Start>
void for_each_unit(void* to, const void* from, std::size_t bytes, std::size_t rank,
                   std::size_t threads, Start start)
{
    std::size_t unit = 16;
    while (unit > 1 && (!aligned(to, unit) || !aligned(from, unit) || bytes % unit != 0))
        unit /= 2;
    for (std::size_t offset = rank * unit; offset < bytes; offset += threads * unit)
        start(static_cast<std::byte*>(to) + offset, static_cast<const std::byte*>(from) + offset,
              unit);
}

const std::byte* call_site(const void* return_address)
{
    return static_cast<const std::byte*>(return_address);
}

} // namespace

void start_async_copy(void* to, const void* from, std::size_t bytes, std::size_t zero_fill)
{
    const Untraced untraced;
    if ((bytes != 4 && bytes != 8 && bytes != 16) || zero_fill > bytes)
        fault("copies " + std::to_string(bytes) +
              " bytes asynchronously; the sizes are 4, 8 and 16.");
    if (!aligned(to, bytes) || !aligned(from, bytes))
        fault("copies " + std::to_string(bytes) +
              " bytes asynchronously from or to an address that is not a multiple of " +
              std::to_string(bytes) + ".");
    const std::byte* const site = call_site(__builtin_return_address(0));
    begin_copy(to, from, bytes, site);
    note_step(Step::copied, site);
    Queue& queue = own_queue();
    queue.copies.push_back({to, from, bytes, zero_fill, queue.group});
}

void start_async_share(void* to, const void* from, std::size_t bytes, std::size_t rank,
                       std::size_t threads)
{
    const Untraced untraced;
    const std::byte* const site = call_site(__builtin_return_address(0));
    for_each_unit(to, from, bytes, rank, threads,
                  [site](void* target, const void* source, std::size_t unit) {
                      begin_copy(target, source, unit, site);
                      note_step(Step::copied, site);
                      Queue& queue = own_queue();
                      queue.copies.push_back({target, source, unit, 0, queue.group});
                  });
}

void start_async_share(void* to, const void* from, std::size_t bytes, std::size_t rank,
                       std::size_t threads, PhaseBarrier& barrier)
{
    const Untraced untraced;
    const std::byte* const site = call_site(__builtin_return_address(0));
    for_each_unit(to, from, bytes, rank, threads,
                  [site, &barrier](void* target, const void* source, std::size_t unit) {
                      begin_copy(target, source, unit, site);
                      bound_copies().push_back({&barrier, {target, source, unit, 0, 0}});
                  });
}

void commit_async_copies()
{
    const Untraced untraced;
    ++own_queue().group;
}

void wait_async_copies(std::size_t pending)
{
    const Untraced untraced;
    note_step(Step::arrived, call_site(__builtin_return_address(0)), pending);
    Queue& queue = own_queue();
    queue.run_until(queue.group > pending ? queue.group - pending : 0);
}

void wait_all_async_copies()
{
    const Untraced untraced;
    note_step(Step::arrived, call_site(__builtin_return_address(0)));
    Queue& queue = own_queue();
    queue.run_until(queue.group + 1);
}

void initialise(PhaseBarrier& barrier, std::int32_t expected)
{
    barrier = {.expected = expected, .arrived = 0, .dropped = 0, .phase = 0};
}

std::uint32_t arrive(PhaseBarrier& barrier, std::int32_t count)
{
    note_other_order();
    const Untraced untraced;
    const std::uint32_t phase = barrier.phase;
    barrier.arrived += count;
    if (barrier.arrived > barrier.expected)
        fault("arrives at a barrier for the " + std::to_string(barrier.arrived) +
              "th time in one phase; it was initialised for " + std::to_string(barrier.expected) +
              " arrivals.");
    if (barrier.arrived == barrier.expected) {
        std::erase_if(bound_copies(), [&barrier](const BoundCopy& bound) {
            if (bound.barrier != &barrier)
                return false;
            bound.copy.run();
            return true;
        });
        barrier.expected -= barrier.dropped;
        barrier.arrived = 0;
        barrier.dropped = 0;
        ++barrier.phase;
    }
    return phase;
}

void arrive_and_drop(PhaseBarrier& barrier)
{
    ++barrier.dropped;
    arrive(barrier, 1);
}

bool completed(const PhaseBarrier& barrier, std::uint32_t phase)
{
    return static_cast<std::int32_t>(barrier.phase - phase) > 0;
}

void wait(const PhaseBarrier& barrier, std::uint32_t phase)
{
    const Untraced untraced;
    int turn = 0;
    do {
        if (turn == barrier_patience)
            fault("waits for a barrier that only " + std::to_string(barrier.arrived) + " of " +
                  std::to_string(barrier.expected) + " threads have arrived at.");
        // Once even if the phase is complete, so that the lanes of a warp go on together.
        give_way();
        ++turn;
    } while (!completed(barrier, phase));
}

std::int32_t count_in_block(bool predicate)
{
    return barrier(predicate, {"cuda::make_pipeline", 0});
}

} // namespace cpu_device
