/// \file
/// What is said of threads that wait at different places.
#include "core/executor.hpp"
#include "core/faults.hpp"

#include <algorithm>
#include <cstring>

namespace cpu_device {

bool same_line(const SourceLine& one, const SourceLine& other)
{
    return one.line == other.line &&
           (one.file == other.file || std::strcmp(one.file, other.file) == 0);
}

bool Worker::is(const Thread& thread, State state) const
{
    return warps_[thread.number / warp_lanes].lanes[state] >> thread.number % warp_lanes & 1;
}

bool Worker::wait_together(const Thread& one, const Thread& other) const
{
    return is(one, at_barrier) == is(other, at_barrier) && same_line(one.where, other.where);
}

std::vector<const Worker::Thread*> Worker::live_threads() const
{
    std::vector<const Thread*> live;
    for (const Thread& thread : threads_)
        if (!is(thread, returned))
            live.push_back(&thread);
    return live;
}

std::string Worker::describe_wait(const Thread& thread) const
{
    const auto live = live_threads();
    const auto others = std::count_if(live.begin(), live.end(), [&](const Thread* other) {
        return other != &thread && wait_together(*other, thread);
    });
    std::string text = "thread " + to_string(thread.index);
    if (others != 0)
        text += " and " + std::to_string(others) + (others == 1 ? " other wait" : " others wait");
    else
        text += " waits";
    return text +
           (is(thread, at_barrier) ? " at the barrier at " : " in the warp-wide operation at ") +
           to_string(thread.where) +
           (is(thread, at_barrier) ? ""
                                   : " with the mask " + hexadecimal(thread.mask, mask_digits));
}

void Worker::report_divergence(const Thread& first)
{
    current_ = &threads_[first.number];
    const auto live = live_threads();
    const auto other = std::find_if(live.begin(), live.end(), [&](const Thread* thread) {
        return !wait_together(*thread, first);
    });
    const auto at_barriers = std::ranges::count_if(
        live, [this](const Thread* thread) { return is(*thread, at_barrier); });
    const bool counted = at_barriers == std::ssize(live), in_exchange_alone = at_barriers == 0;
    fault((in_exchange_alone ? "deadlock of lanes: " : "divergent barrier: ") +
          describe_wait(first) + (other == live.end() ? "" : ", but " + describe_wait(**other)) +
          (in_exchange_alone ? "; all lanes in a mask must make the same call with that mask."
           : counted ? "; all threads that are still running must reach the same barrier. A GPU "
                       "only counts arrivals and may let this pass; CUDA does not guarantee it."
                     : "; all threads that are still running must reach the same barrier."));
}

void Worker::note_partial_barrier(const Thread& first)
{
    const auto has_returned = [this](const Thread& thread) { return is(thread, returned); };
    const auto gone = std::ranges::find_if(threads_, has_returned);
    const auto others = std::ranges::count_if(threads_, has_returned) - 1;
    current_ = nullptr;
    found_.partial_barrier = {
        block_,
        whereabouts() + ": " + describe_wait(first) + ", but thread " + to_string(gone->index) +
            (others == 0 ? " has"
                         : " and " + count(static_cast<std::size_t>(others), "other") + " have") +
            " returned from the kernel without it. A GPU waits only for the threads that are "
            "still running; CUDA guarantees nothing unless all threads of a block reach a "
            "barrier."};
}

std::string Worker::whereabouts() const
{
    std::string text = name_of(launch_.configuration);
    if (device_count() > 1)
        text += " on device " + std::to_string(launch_.device);
    text += ", block " + to_string(block_index_);
    if (current_ != nullptr)
        text += ", thread " + to_string(current_->index);
    return text;
}

} // namespace cpu_device
