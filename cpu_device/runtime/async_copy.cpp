/// \file
/// Asynchronous copies: a queue for each thread of the block that runs on this thread of the host.
#include "core/faults.hpp"
#include "core/kernels.hpp"
#include "cpu_device/detail/builtins.hpp"
#include "cpu_device/device_limits.hpp"
#include "cuda_pipeline_primitives.h"

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

Queue& own_queue()
{
    if (queues.empty())
        queues.resize(static_cast<std::size_t>(device_limits.max_threads_per_block));
    Queue& queue = queues[(threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x];
    if (queue.block != blocks_begun()) // what the block before has not waited for is dropped
        queue = {.copies = {}, .group = 0, .block = blocks_begun()};
    return queue;
}

bool aligned(const void* address, std::size_t bytes)
{
    return reinterpret_cast<std::uintptr_t>(address) % bytes == 0;
}

} // namespace

void start_async_copy(void* to, const void* from, std::size_t bytes, std::size_t zero_fill)
{
    const Untraced untraced;
    if ((bytes != 4 && bytes != 8 && bytes != 16) || zero_fill > bytes)
        fault("copies " + std::to_string(bytes) +
              " bytes asynchronously; the size must be 4, 8 or 16.");
    if (!aligned(to, bytes) || !aligned(from, bytes))
        fault("copies " + std::to_string(bytes) +
              " bytes asynchronously from or to an address that is not a multiple of " +
              std::to_string(bytes) + ".");
    const auto* const site = static_cast<const std::byte*>(__builtin_return_address(0));
    record_access(from, bytes, Access::load, site);
    record_access(to, bytes, Access::store, site + 1); // an instruction of its own to the tracer
    // Until the copy is waited for, a GPU may show anything there, and what happened to be there
    // before could pass for a result.
    std::fill_n(static_cast<std::uint32_t*>(to), bytes / sizeof poison, poison);
    note_step(Step::copied, site);
    Queue& queue = own_queue();
    queue.copies.push_back({to, from, bytes, zero_fill, queue.group});
}

void commit_async_copies()
{
    const Untraced untraced;
    ++own_queue().group;
}

void wait_async_copies(std::size_t pending)
{
    const Untraced untraced;
    note_step(Step::arrived, __builtin_return_address(0), pending);
    Queue& queue = own_queue();
    queue.run_until(queue.group > pending ? queue.group - pending : 0);
}

} // namespace cpu_device
