#include "core/block_scheduler.hpp"

#include "core/faults.hpp"
#include "core/launch_monitor.hpp"
#include "cpu_device/settings.hpp"

#include <algorithm>
#include <bit>
#include <utility>

// The built-in variables, under the names that builtins.hpp gives them.
#define CPU_DEVICE_BUILTIN(name)                                                                   \
    extern "C" {                                                                                   \
    __thread unsigned cpu_device_##name##_x = 0;                                                   \
    __thread unsigned cpu_device_##name##_y = 0;                                                   \
    __thread unsigned cpu_device_##name##_z = 0;                                                   \
    }                                                                                              \
    static void set_##name(const cpu_device::Dimensions& value)                                    \
    {                                                                                              \
        cpu_device_##name##_x = value.x;                                                           \
        cpu_device_##name##_y = value.y;                                                           \
        cpu_device_##name##_z = value.z;                                                           \
    }

CPU_DEVICE_BUILTIN(thread_index)
CPU_DEVICE_BUILTIN(block_index)
CPU_DEVICE_BUILTIN(block_dimensions)
CPU_DEVICE_BUILTIN(grid_dimensions)

#undef CPU_DEVICE_BUILTIN

namespace cpu_device {

namespace {

/// Rounds of yields after which other warps get their turn: a warp may spin on a flag that one of
/// them sets.
constexpr unsigned rounds_before_warp_switch = 4096;
/// Rounds of yields after which lanes that take turns no longer let the others go first.
constexpr unsigned rounds_before_turn = 64;

} // namespace

void SpinWatch::begin_launch(std::size_t threads, const Region& stacks)
{
    stacks_ = stacks;
    spins_.assign(threads, Spin());
    may_wait_unseen_ = false;
}

void SpinWatch::note_progress()
{
    progress_ = {};
    rounds_.clear();
}

void SpinWatch::look(Thread& thread, std::uintptr_t pc, std::uintptr_t address)
{
    constexpr unsigned looks = 64;
    if (!rounds_.empty())
        note_round(thread.number, address);
    Spin& spin = spins_[thread.number];
    if (std::exchange(thread.has_met, false))
        spin = {};
    spin.pc = pc;
    if (spin.looks > 0) {
        const auto end = spin.seen.begin() + spin.different;
        const bool known = std::find(spin.seen.begin(), end, address) != end;
        if (!known && spin.different == spin.seen.size()) { // it does more than wait
            spin = {};
        } else {
            if (!known)
                spin.seen.at(spin.different++) = address;
            may_wait_unseen_ |= --spin.looks == 0;
        }
    } else if (std::ranges::find(spin.addresses, address) == spin.addresses.end()) {
        std::rotate(spin.addresses.begin(), spin.addresses.end() - 1, spin.addresses.end());
        spin.addresses[0] = address;
    } else if (!may_wait_unseen_) {
        spin.looks = looks;
        spin.different = 0;
    }
    thread.looked_at = spin.looks > 0;
}

void SpinWatch::note_round(unsigned thread, std::uintptr_t address)
{
    Round& round = rounds_[thread];
    const auto hash = static_cast<std::uint32_t>(address >> 2) * 0x9E3779B9u >> 21;
    round.repeats += !stacks_.contains(address);
    if (round.addresses[hash])
        return;
    round.addresses[hash] = true;
    round.repeats = 0;
    if (round.addresses.count() > round.addresses.size() / 4) // it goes through an array
        round.addresses.reset();
}

const Thread* SpinWatch::find_spinning(const BlockThreads& block)
{
    constexpr unsigned many = 256; // yields, each after some accesses
    const auto now = std::chrono::steady_clock::now();
    if (progress_ == std::chrono::steady_clock::time_point())
        progress_ = now;
    seconds_ = std::chrono::duration<double>(now - progress_).count();
    if (seconds_ < std::min(1.0, settings().patience))
        return nullptr;
    if (rounds_.empty())
        rounds_.resize(block.threads.size());
    const Thread* spinning = nullptr;
    for (const Thread* thread : block.live()) {
        if (!block.is(*thread, Warp::ready) && !block.is(*thread, Warp::yielded))
            continue; // it waits for others
        if (rounds_[thread->number].repeats < many)
            return nullptr;
        spinning = thread;
    }
    return spinning;
}

void SpinWatch::report(const Thread& spinning) const
{
    const Spin& spin = spins_[spinning.number];
    report_spin(spinning.has_met ? 0 : spin.pc, spin.addresses[0], seconds_);
}

BlockScheduler::BlockScheduler(Tracer& tracer, BlockRaces& races, bool guarded)
    : tracer_(tracer), races_(races), stacks_(DeviceLimits::max_threads_per_block, guarded)
{}

void BlockScheduler::begin_launch(const LaunchConfiguration& launch, void (*body)(void*),
                                  void* context)
{
    set_block_dimensions(launch.block);
    set_grid_dimensions(launch.grid);
    body_ = body;
    context_ = context;
    waits_ = 0;
    block_.begin_launch(launch.block);
    spins_.begin_launch(block_.threads.size(), stacks_.region());
}

void BlockScheduler::begin_block(std::uint64_t block, const Dimensions& index, std::uint64_t order,
                                 bool counted)
{
    block_.begin_block(block, order);
    set_block_index(index);
    ++blocks_begun_;
    counted_ = counted;
    if (!counted)
        return;
    spins_.note_progress();
    for (Thread& thread : block_.threads)
        thread.meet();
}

void BlockScheduler::run_warp(Warp& warp)
{
    const unsigned threads = warp.threads();
    bool divergent = false;
    for (unsigned round = 0; round < rounds_before_warp_switch; ++round) {
        run_ready_lanes(warp);
        if (warp.lanes[Warp::returned] == threads)
            break;
        const unsigned late = warp.lanes[Warp::yielded];
        const bool exchanged = block_.finish_exchanges(warp);
        if (late != 0) {
            divergent |= tracer_.fold(threads, late);
            warp.move(late, Warp::yielded, Warp::ready);
            if ((round + 1) % rounds_before_turn == 0) // they may wait for one of those
                block_.finish_turn(warp);
        } else if (exchanged) {
            const unsigned live =
                threads & ~warp.lanes[Warp::returned] & ~warp.lanes[Warp::at_barrier];
            const bool all = live == warp.lanes[Warp::ready];
            divergent |= tracer_.fold(threads, all ? 0 : live);
            races_.note_warp_barrier(warp.first / warp_lanes, all);
        } else if (warp.lanes[Warp::gathering] != 0) {
            block_.finish_gathering(warp);
        } else if (warp.lanes[Warp::waiting_to_print] != 0) {
            block_.finish_turn(warp);
        } else {
            break;
        }
    }
    divergent |= tracer_.fold(threads);
    warp.divergent |= divergent;
    warp.move(warp.lanes[Warp::yielded_to_warps], Warp::yielded_to_warps, Warp::ready);
}

host::Fiber* BlockScheduler::take_fiber()
{
    if (idle_.empty()) {
        std::byte* const stack = stacks_.take();
        fibers_.push_back(host::make_fiber(stack,
                                           StackPool::stack_bytes - StackPool::unused_bytes(stack),
                                           [this] { run_fresh_lanes(); }));
        idle_.push_back(fibers_.back().get());
    }
    host::Fiber* const fiber = idle_.back();
    idle_.pop_back();
    return fiber;
}

Thread* BlockScheduler::take_ready_lane()
{
    for (; next_ != end_; ++next_) {
        Thread& thread = block_.threads[*next_];
        const unsigned lane = 1u << thread.lane();
        if (warp_->lanes[Warp::fresh] & lane)
            break;
        if ((warp_->lanes[Warp::ready] & lane) == 0)
            continue;
        ++next_;
        warp_->lanes[Warp::ready] &= ~lane;
        return &thread;
    }
    return nullptr;
}

void BlockScheduler::run_ready_lanes(Warp& warp)
{
    warp_ = &warp;
    next_ = block_.lane_order.data() + warp.first;
    end_ = next_ + warp.size;
    for (;;) {
        if (Thread* const thread = take_ready_lane(); thread != nullptr) {
            running_ = thread->fiber;
            enter(*thread);
        } else if (next_ != end_) {
            running_ = take_fiber();
        } else {
            return;
        }
        running_->resume();
        if (!running_->suspended()) // the last of those that went on for each other
            idle_.push_back(running_);
    }
}

void BlockScheduler::run_fresh_lanes()
{
    while (next_ != end_) {
        Thread& thread = block_.threads[*next_];
        const unsigned lane = 1u << thread.lane();
        if ((warp_->lanes[Warp::fresh] & lane) == 0)
            return;
        ++next_;
        warp_->lanes[Warp::fresh] &= ~lane;
        enter(thread);
        if (counted_) {
            tracer_.begin_thread();
            current_tracer = &tracer_;
        }
        body_(context_);
        current_tracer = nullptr;
        warp_->lanes[Warp::returned] |= lane;
    }
}

void BlockScheduler::enter(Thread& thread)
{
    current_ = &thread;
    set_thread_index(thread.index);
    if (!counted_)
        return;
    tracer_.begin_lane(thread.number);
    if (thread.looked_at)
        tracer_.yield_at_next();
}

void BlockScheduler::suspend(Warp::State state)
{
    const Untraced untraced;
    warp_->lanes[state] |= 1u << current_->lane();
    waits_ += counted_;
    host::Fiber& own = *running_;
    current_->fiber = &own;
    Thread* const next = take_ready_lane();
    if (next == nullptr)
        return own.suspend();
    running_ = next->fiber;
    enter(*next);
    own.suspend_for(*running_);
}

Meeting BlockScheduler::find_meeting()
{
    for (const Warp& warp : block_.warps)
        if (warp.lanes[Warp::ready] != 0)
            return {}; // it only gave way to other warps
    Meeting meeting;
    barrier_count_ = 0;
    for (const Warp& warp : block_.warps) {
        meeting.is_partial |= warp.lanes[Warp::returned] != 0;
        for (unsigned live = warp.threads() & ~warp.lanes[Warp::returned]; live != 0;
             live &= live - 1) {
            const Thread& thread =
                block_.threads[warp.first + static_cast<unsigned>(std::countr_zero(live))];
            if (meeting.first == nullptr)
                meeting.first = &thread;
            if (!block_.is(thread, Warp::at_barrier) ||
                !same_line(thread.where, meeting.first->where)) {
                current_ = &block_.threads[meeting.first->number];
                fault(block_.describe_divergence(*meeting.first));
            }
            barrier_count_ += thread.predicate;
            meeting.warps |= 1u << warp.first / warp_lanes;
        }
    }
    meeting.over = meeting.first == nullptr;
    return meeting;
}

void BlockScheduler::pass_barrier()
{
    races_.note_block_barrier();
    spins_.note_progress();
    for (Warp& warp : block_.warps)
        warp.move(warp.lanes[Warp::at_barrier], Warp::at_barrier, Warp::ready);
}

void BlockScheduler::look_for_spin()
{
    if (const Thread* const spinning = spins_.find_spinning(block_); spinning != nullptr) {
        current_ = &block_.threads[spinning->number];
        spins_.report(*spinning);
    }
}

void BlockScheduler::meet(Warp::State state, SourceLine where)
{
    current_->meet();
    current_->where = where;
    tracer_.note_meeting();
    suspend(state);
}

void BlockScheduler::yield(std::uintptr_t pc, std::uintptr_t address)
{
    if (!host::fibers_suspend())
        return; // the other lanes follow when this one has returned
    Thread& self = *current_;
    spins_.look(self, pc, address);
    if (self.looked_at)
        tracer_.yield_at_next();
    else
        suspend(Warp::yielded);
}

void BlockScheduler::wait_for_lanes(std::uintptr_t pc, std::uintptr_t address)
{
    Thread& self = *current_;
    // Now and then it looks whether the thread does anything but wait.
    if (++self.waits % Tracer::yield_after == 0 && !self.looked_at)
        spins_.look(self, pc, address); // if so, from when it goes on
    suspend(Warp::yielded);
}

} // namespace cpu_device
