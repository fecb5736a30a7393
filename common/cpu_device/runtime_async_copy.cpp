/// \file
/// Asynchronous copies: a queue for each thread of the block that runs on this thread of the host.
#include "cpu_device/async_copy.hpp"

#include "common/cpu_device/engine.hpp"
#include "cpu_device/builtins.hpp"
#include "cpu_device/device_limits.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
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
thread_local std::uint64_t blocks_begun = 0;

Queue& own_queue()
{
    if (queues.empty())
        queues.resize(static_cast<std::size_t>(device_limits.max_threads_per_block));
    Queue& queue = queues[(threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x];
    if (queue.block != blocks_begun)
        queue = {.copies = {}, .group = 0, .block = blocks_begun};
    return queue;
}

bool aligned(const void* address, std::size_t bytes)
{
    return reinterpret_cast<std::uintptr_t>(address) % bytes == 0;
}

void start(void* to, const void* from, std::size_t bytes, std::size_t zero_fill,
           const std::byte* site)
{
    record_access(from, bytes, Access::load, site);
    record_access(to, bytes, Access::store, site + 1); // an instruction of its own to the tracer
    Queue& queue = own_queue();
    queue.copies.push_back({to, from, bytes, zero_fill, queue.group});
}

} // namespace

void start_async_copy(void* to, const void* from, std::size_t bytes, std::size_t zero_fill)
{
    if ((bytes != 4 && bytes != 8 && bytes != 16) || zero_fill > bytes)
        fault("copies " + std::to_string(bytes) +
              " bytes asynchronously; the sizes are 4, 8 and 16.");
    if (!aligned(to, bytes) || !aligned(from, bytes))
        fault("copies " + std::to_string(bytes) +
              " bytes asynchronously from or to an address that is not a multiple of " +
              std::to_string(bytes) + ".");
    start(to, from, bytes, zero_fill, static_cast<const std::byte*>(__builtin_return_address(0)));
}

void start_async_share(void* to, const void* from, std::size_t bytes, std::size_t rank,
                       std::size_t threads)
{
    const auto* const site = static_cast<const std::byte*>(__builtin_return_address(0));
    std::size_t unit = 16;
    while (unit > 1 && (!aligned(to, unit) || !aligned(from, unit) || bytes % unit != 0))
        unit /= 2;
    for (std::size_t offset = rank * unit; offset < bytes; offset += threads * unit)
        start(static_cast<std::byte*>(to) + offset, static_cast<const std::byte*>(from) + offset,
              unit, 0, site);
}

void commit_async_copies()
{
    ++own_queue().group;
}

void wait_async_copies(std::size_t pending)
{
    Queue& queue = own_queue();
    queue.run_until(queue.group > pending ? queue.group - pending : 0);
}

void wait_all_async_copies()
{
    Queue& queue = own_queue();
    queue.run_until(queue.group + 1);
}

void forget_async_copies()
{
    ++blocks_begun; // own_queue() empties a queue of an earlier block
}

} // namespace cpu_device
