/// \file
/// What the threads of a warp, or of a tile of several, give each other, and in which order they
/// put something out.
#include "core/executor.hpp"
#include "core/faults.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <span>

namespace cpu_device {

bool Worker::finish_exchanges(Warp& warp)
{
    const unsigned waiting = warp.lanes[in_exchange];
    const unsigned live = warp.threads() & ~warp.lanes[returned];
    unsigned finished = 0;
    for (unsigned lane = 0; lane < warp.size; ++lane) {
        if (((waiting & ~finished) >> lane & 1) == 0)
            continue;
        const unsigned mask = threads_[warp.first + lane].mask;
        unsigned together = 0;
        for (unsigned other = lane; other < warp.size; ++other)
            if ((waiting >> other & 1) && threads_[warp.first + other].mask == mask)
                together |= 1u << other;
        if ((mask & live & ~together) != 0)
            continue;
        WarpValues& values = exchanged_[warp.first + lane];
        values.mask = together;
        for (unsigned other = lane; other < warp.size; ++other) {
            if (together >> other & 1) {
                Thread& thread = threads_[warp.first + other];
                values.value[other] = thread.value;
                thread.values = &values;
            }
        }
        finished |= together;
    }
    warp.move(finished, in_exchange, ready);
    return finished != 0;
}

void Worker::finish_gathering(Warp& warp)
{
    const unsigned waiting = warp.lanes[gathering];
    for (unsigned lane = 0; lane < warp.size; ++lane) {
        Thread& thread = threads_[warp.first + lane];
        if ((waiting >> lane & 1) == 0)
            continue;
        thread.mask = 0;
        for (unsigned other = 0; other < warp.size; ++other)
            if ((waiting >> other & 1) &&
                same_line(threads_[warp.first + other].where, thread.where))
                thread.mask |= 1u << other;
    }
    warp.move(waiting, gathering, ready);
}

void Worker::finish_turn(Warp& warp)
{
    unsigned first = 0;
    int line = std::numeric_limits<int>::max();
    for (unsigned waiting = warp.lanes[waiting_to_print]; waiting != 0; waiting &= waiting - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(waiting));
        const int own = threads_[warp.first + lane].where.line;
        first = (own < line ? 0 : first) | (own <= line ? 1u << lane : 0);
        line = std::min(line, own);
    }
    warp.move(first, waiting_to_print, ready);
}

bool Worker::finish_tiles()
{
    bool any = false;
    for (std::size_t first = 0, end = 0; first < threads_.size(); first = end) {
        const auto waits = [&](const Thread& thread) {
            return is(thread, at_barrier) ? thread.tile : is(thread, returned) ? 0u : 1u;
        };
        const unsigned size = std::max(warp_lanes, waits(threads_[first]));
        end = std::min(first + size, threads_.size());
        const auto begin = threads_.begin() + static_cast<std::ptrdiff_t>(first);
        const std::span<Thread> tile(begin, begin + static_cast<std::ptrdiff_t>(end - first));
        if (size == warp_lanes || !std::ranges::all_of(tile, [&](const Thread& thread) {
                return waits(thread) == 0 ||
                       (waits(thread) == size && same_line(thread.where, tile[0].where));
            }))
            continue;
        any = true;
        for (const Thread& thread : tile)
            tile_values()[thread.number] = thread.value;
        for (std::size_t warp = first / warp_lanes; warp * warp_lanes < end; ++warp) {
            if (tracing_)
                found_.traces.back().add(warp, Step::barrier);
            warps_[warp].move(warps_[warp].lanes[at_barrier], at_barrier, ready);
        }
    }
    if (any)
        races_.note_block_barrier();
    return any;
}

// Apart, as what makes a sentence needs a large frame: lanes that wait share a cache.
[[gnu::noinline]] void Worker::report_outside(unsigned mask, SourceLine where) const
{
    fault("passes the mask " + hexadecimal(mask, mask_digits) + " to the warp-wide operation at " +
          to_string(where) + ", but is lane " + std::to_string(lane()) +
          ", which is not in it; a mask must contain every lane that makes the call.");
}

const WarpValues& Worker::warp_exchange(unsigned mask, std::uint64_t value, SourceLine where)
{
    Thread& self = *current_;
    self.spin.pc = 0;
    if ((mask >> lane() & 1) == 0)
        report_outside(mask, where);
    self.mask = mask;
    self.value = value;
    self.where = where;
    self.steps = 0;
    self.clock_reads = 0;
    tracer_.note_meeting();
    suspend(in_exchange);
    return *self.values;
}

const std::uint64_t* Worker::tile_exchange(unsigned threads, std::uint64_t value, SourceLine where)
{
    const unsigned number = current_->number;
    has_tiles_ = true;
    current_->tile = threads;
    current_->value = value;
    static_cast<void>(barrier(false, where));
    current_->tile = 0;
    return tile_values() + number / threads * threads;
}

unsigned Worker::active_mask(SourceLine where)
{
    Thread& self = *current_;
    self.where = where;
    suspend(gathering);
    return self.mask;
}

void Worker::wait_for_print_order(SourceLine where)
{
    current_->where = where;
    suspend(waiting_to_print);
}

} // namespace cpu_device
