#include "core/block_threads.hpp"

#include "core/faults.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>

namespace cpu_device {

bool same_line(const SourceLine& one, const SourceLine& other)
{
    return one.line == other.line &&
           (one.file == other.file || std::strcmp(one.file, other.file) == 0);
}

void BlockThreads::begin_launch(const Dimensions& block)
{
    const unsigned count = block.x * block.y * block.z;
    threads.assign(count, Thread());
    for (unsigned number = 0; number < count; ++number) {
        threads[number].number = number;
        threads[number].index = unravel(number, block);
    }
    warps.clear();
    for (unsigned first = 0; first < count; first += warp_lanes) {
        Warp& warp = warps.emplace_back();
        warp.first = first;
        warp.size = std::min(warp_lanes, count - first);
    }
    warp_order.resize(warps.size());
    lane_order.resize(count);
    std::iota(warp_order.begin(), warp_order.end(), 0u);
    std::iota(lane_order.begin(), lane_order.end(), 0u);
}

void BlockThreads::begin_block(std::uint64_t block, std::uint64_t order)
{
    for (Warp& warp : warps) {
        warp.lanes = {};
        warp.lanes[Warp::fresh] = warp.threads();
        warp.divergent = false;
        warp.requests = {};
    }
    if (order == 0)
        return;
    // Seeded by block, so that the order does not depend on how many threads the host has.
    std::seed_seq seed{order, order >> 32, block, block >> 32};
    std::minstd_rand random(seed);
    std::iota(warp_order.begin(), warp_order.end(), 0u);
    std::iota(lane_order.begin(), lane_order.end(), 0u);
    std::shuffle(warp_order.begin(), warp_order.end(), random);
    for (const Warp& warp : warps)
        std::shuffle(lane_order.begin() + warp.first, lane_order.begin() + warp.first + warp.size,
                     random);
}

std::vector<const Thread*> BlockThreads::live() const
{
    std::vector<const Thread*> live;
    for (const Thread& thread : threads)
        if (!is(thread, Warp::returned))
            live.push_back(&thread);
    return live;
}

bool BlockThreads::finish_exchanges(Warp& warp)
{
    const unsigned waiting = warp.lanes[Warp::in_exchange];
    const unsigned live = warp.threads() & ~warp.lanes[Warp::returned];
    unsigned finished = 0;
    for (unsigned lane = 0; lane < warp.size; ++lane) {
        if (((waiting & ~finished) >> lane & 1) == 0)
            continue;
        const unsigned mask = threads[warp.first + lane].mask;
        unsigned together = 0;
        for (unsigned other = lane; other < warp.size; ++other)
            if ((waiting >> other & 1) && threads[warp.first + other].mask == mask)
                together |= 1u << other;
        if ((mask & live & ~together) != 0)
            continue;
        WarpValues& values = exchanged_[warp.first + lane];
        values.mask = together;
        for (unsigned other = lane; other < warp.size; ++other) {
            if (together >> other & 1) {
                Thread& thread = threads[warp.first + other];
                values.value[other] = thread.value;
                thread.values = &values;
            }
        }
        finished |= together;
    }
    warp.move(finished, Warp::in_exchange, Warp::ready);
    return finished != 0;
}

void BlockThreads::finish_gathering(Warp& warp)
{
    const unsigned waiting = warp.lanes[Warp::gathering];
    for (unsigned lane = 0; lane < warp.size; ++lane) {
        Thread& thread = threads[warp.first + lane];
        if ((waiting >> lane & 1) == 0)
            continue;
        thread.mask = 0;
        for (unsigned other = 0; other < warp.size; ++other)
            if ((waiting >> other & 1) &&
                same_line(threads[warp.first + other].where, thread.where))
                thread.mask |= 1u << other;
    }
    warp.move(waiting, Warp::gathering, Warp::ready);
}

void BlockThreads::finish_turn(Warp& warp)
{
    unsigned first = 0;
    int line = std::numeric_limits<int>::max();
    for (unsigned waiting = warp.lanes[Warp::waiting_to_print]; waiting != 0;
         waiting &= waiting - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(waiting));
        const int own = threads[warp.first + lane].where.line;
        first = (own < line ? 0 : first) | (own <= line ? 1u << lane : 0);
        line = std::min(line, own);
    }
    warp.move(first, Warp::waiting_to_print, Warp::ready);
}

bool BlockThreads::wait_together(const Thread& one, const Thread& other) const
{
    return is(one, Warp::at_barrier) == is(other, Warp::at_barrier) &&
           same_line(one.where, other.where);
}

std::string BlockThreads::describe_wait(const Thread& thread) const
{
    const auto others = std::ranges::count_if(live(), [&](const Thread* other) {
        return other != &thread && wait_together(*other, thread);
    });
    std::string text = "thread " + to_string(thread.index);
    if (others != 0)
        text += " and " + std::to_string(others) + (others == 1 ? " other wait" : " others wait");
    else
        text += " waits";
    if (is(thread, Warp::at_barrier))
        return text + " at the barrier at " + to_string(thread.where);
    return text + " in the warp-wide operation at " + to_string(thread.where) + " with the mask " +
           hexadecimal(thread.mask, mask_digits);
}

std::string BlockThreads::describe_divergence(const Thread& first) const
{
    const auto threads_left = live();
    const auto other = std::ranges::find_if(
        threads_left, [&](const Thread* thread) { return !wait_together(*thread, first); });
    const auto at_barriers = std::ranges::count_if(
        threads_left, [this](const Thread* thread) { return is(*thread, Warp::at_barrier); });
    const bool counted = at_barriers == std::ssize(threads_left);
    const bool in_exchange_alone = at_barriers == 0;
    return (in_exchange_alone ? "deadlock of lanes: " : "divergent barrier: ") +
           describe_wait(first) +
           (other == threads_left.end() ? "" : ", but " + describe_wait(**other)) +
           (in_exchange_alone ? "; all lanes in a mask must make the same call with that mask."
            : counted ? "; all threads that are still running must reach the same barrier. A GPU "
                        "only counts arrivals and may let this pass; CUDA does not guarantee it."
                      : "; all threads that are still running must reach the same barrier.");
}

std::string BlockThreads::describe_partial_barrier(const Thread& first) const
{
    const auto has_returned = [this](const Thread& thread) { return is(thread, Warp::returned); };
    const auto gone = std::ranges::find_if(threads, has_returned);
    const auto others = std::ranges::count_if(threads, has_returned) - 1;
    return describe_wait(first) + ", but thread " + to_string(gone->index) +
           (others == 0 ? " has"
                        : " and " + count(static_cast<std::size_t>(others), "other") + " have") +
           " returned from the kernel without it. A GPU waits only for the threads that are still "
           "running; CUDA guarantees nothing unless all threads of a block reach a barrier.";
}

} // namespace cpu_device
