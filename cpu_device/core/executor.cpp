#include "core/executor.hpp"

#include "core/faults.hpp"

#include "core/kernels.hpp"

#include "core/devices.hpp"
#include "core/patience.hpp"
#include "core/program_image.hpp"
#include "core/repetition.hpp"
#include "cpu_device/device_limits.hpp"
#include "cpu_device/poison.hpp"
#include "cpu_device/settings.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdio>
#include <cstring>
#include <new>
#include <numeric>
#include <random>
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

namespace cpu_device {

namespace {

constexpr unsigned max_threads = static_cast<unsigned>(DeviceLimits::max_threads_per_block);
constexpr unsigned mask_digits = warp_lanes / 4; ///< hexadecimal ones
constexpr std::size_t dynamic_shared_bytes = 256 * 1024;
/// Behind it nothing is mapped: an index that runs off its end is still told as such.
constexpr std::size_t dynamic_reserved_bytes = 4 * dynamic_shared_bytes;
/// Rounds of yields after which other warps get their turn: a warp may spin on a flag that one of
/// them sets.
constexpr unsigned warp_patience = 4096;
/// Reads of the clock after which a thread seems to wait by it: one that measures has two.
constexpr unsigned clock_patience = 64;
/// Rounds of yields after which lanes that take turns no longer let the others go first.
constexpr unsigned turn_patience = 64;

bool same_line(const SourceLine& one, const SourceLine& other)
{
    return one.line == other.line &&
           (one.file == other.file || std::strcmp(one.file, other.file) == 0);
}

} // namespace

__thread Worker* current_worker = nullptr;

std::uint64_t requests_of(const Counts& counts)
{
    return counts.load_requests + counts.store_requests + counts.atomic_requests +
           counts.shared_load_requests + counts.shared_store_requests;
}

std::string to_string(const Dimensions& index)
{
    std::string text = "(";
    text += std::to_string(index.x) + ", " + std::to_string(index.y) + ", ";
    return text + std::to_string(index.z) + ")";
}

Dimensions unravel(std::uint64_t number, const Dimensions& size)
{
    return {static_cast<unsigned>(number % size.x), static_cast<unsigned>(number / size.x % size.y),
            static_cast<unsigned>(number / size.x / size.y)};
}

std::string to_string(const SourceLine& where)
{
    const char* slash = std::strrchr(where.file, '/');
    return std::string(slash == nullptr ? where.file : slash + 1) + ":" +
           std::to_string(where.line);
}

std::string hexadecimal(std::uint64_t number, unsigned least_digits)
{
    std::string text;
    for (; number != 0 || text.size() < least_digits; number >>= 4)
        text.insert(text.begin(), "0123456789abcdef"[number & 0xFu]);
    return "0x" + text;
}

Worker::Worker(bool guarded) : stacks_(max_threads, guarded)
{
    void* range = host::reserve(dynamic_reserved_bytes);
    if (range == nullptr)
        throw std::bad_alloc();
    if (!host::open(range, dynamic_shared_bytes)) {
        host::give_back(range, dynamic_reserved_bytes);
        throw std::bad_alloc();
    }
    dynamic_shared_ = static_cast<std::byte*>(range);
    exchanged_.resize(max_threads);
}

Worker::~Worker()
{
    host::give_back(dynamic_shared_, dynamic_reserved_bytes);
}

void Worker::begin_launch(const KernelRun& launch)
{
    launch_ = launch;
    const LaunchConfiguration& configuration = launch_.configuration;
    const Dimensions& block = configuration.block;
    const unsigned threads = block.x * block.y * block.z;

    threads_.assign(threads, Thread());
    warps_.clear();
    lane_order_.resize(threads);
    for (unsigned number = 0; number < threads; ++number) {
        threads_[number].number = number;
        threads_[number].index = unravel(number, block);
    }
    for (unsigned first = 0; first < threads; first += warp_lanes) {
        Warp& warp = warps_.emplace_back();
        warp.first = first;
        warp.size = std::min(warp_lanes, threads - first);
    }
    warp_order_.resize(warps_.size());
    std::iota(warp_order_.begin(), warp_order_.end(), 0u);
    std::iota(lane_order_.begin(), lane_order_.end(), 0u);
    traces_.clear();
    touches_.clear();
    tracer_.sample_touches(launch_.sampled ? &touches_ : nullptr);
    longest_requests_ = 0;
    longest_block_ = 0;
    may_wait_unseen_ = false;
    partial_barrier_ = {};
    divergent_warps_ = 0;

    const auto address = [](const void* pointer) {
        return reinterpret_cast<std::uintptr_t>(pointer);
    };
    BlockMemory memory;
    memory.kernel = configuration.kernel;
    memory.device = launch_.device;
    memory.stacks = stacks_.region();
    memory.static_shared = static_shared_ = ProgramImage::thread_variables();
    memory.dynamic_shared = {address(dynamic_shared_), configuration.dynamic_shared_bytes,
                             AddressSpace::shared};
    memory.dynamic_reserved = {address(dynamic_shared_), dynamic_reserved_bytes,
                               AddressSpace::shared};
    memory.exchange = {address(exchanged_.data()), exchanged_.size() * sizeof(WarpValues),
                       AddressSpace::uncounted};
    tracer_.begin_launch(memory);

    set_current_device(launch_.device);
    set_block_dimensions(block);
    set_grid_dimensions(configuration.grid);
    current_worker = this;
}

void Worker::end_launch()
{
    tracer_.poison_static_shared(!launch_.counted);
    current_worker = nullptr;
}

void Worker::count_blocks(bool counted)
{
    launch_.counted = counted;
}

Counts Worker::counted() const
{
    Counts counts = tracer_.counts();
    counts.divergent_warps = divergent_warps_;
    return counts;
}

void Worker::begin_block(std::uint64_t block)
{
    block_ = block;
    block_index_ = unravel(block, launch_.configuration.grid);
    set_block_index(block_index_);
    for (Warp& warp : warps_) {
        warp.lanes = {};
        warp.lanes[fresh] = warp.threads();
        warp.divergent = false;
        warp.requests = {};
    }
    if (launch_.lane_order != 0)
        shuffle(block);
    ++blocks_begun_;
    if (!launch_.counted)
        return;
    // Shared memory starts undefined. What the block before left there must not look like a result.
    std::fill_n(reinterpret_cast<std::uint32_t*>(dynamic_shared_),
                (launch_.configuration.dynamic_shared_bytes + 3) / 4, poison);
    tracer_.poison_static_shared();
    progress_ = {};
    for (Thread& thread : threads_) {
        thread.steps = 0;
        thread.clock_reads = 0;
        thread.spin.pc = 0; // of the rest of it, yield()
        thread.spin.repeats = 0;
    }
}

void Worker::shuffle(std::uint64_t block)
{
    // Seeded by block, so that the order does not depend on how many threads the host has.
    std::seed_seq seed{launch_.lane_order, launch_.lane_order >> 32, block, block >> 32};
    std::minstd_rand random(seed);
    std::iota(warp_order_.begin(), warp_order_.end(), 0u);
    std::iota(lane_order_.begin(), lane_order_.end(), 0u);
    std::shuffle(warp_order_.begin(), warp_order_.end(), random);
    for (const Warp& warp : warps_)
        std::shuffle(lane_order_.begin() + warp.first, lane_order_.begin() + warp.first + warp.size,
                     random);
}

void Worker::run_block(std::uint64_t block)
{
    if (kernel_was_abandoned())
        return;
    begin_block(block);
    bool first = true;
    tracing_ = launch_.counted && launch_.room != nullptr && block >= launch_.first_traced && *launch_.room > 0;
    const bool watched =
        launch_.counted && launch_.races != nullptr && launch_.races->watches(block);
    if (watched)
        races_.begin_block(block);
    if (launch_.races != nullptr)
        // In an order of the program's choice, a step that others have not taken is to show.
        tracer_.keep_in_step(launch_.counted && launch_.lane_order == 0 &&
                                 (watched || launch_.races->in_step()),
                             watched ? &races_ : nullptr);
    if (tracing_)
        traces_.push_back({.block = block,
                           .warps = std::vector<std::vector<TracedStep>>(warps_.size()),
                           .sectors = {}});
    do {
        if (!first)
            look_for_spin();
        first = false;
        for (const unsigned warp : warp_order_) {
            tracer_.log_requests(block == 0 && warp == 0 ? launch_.log : nullptr);
            tracer_.trace_requests(tracing_ ? &traces_.back() : nullptr, warp,
                                   launch_.traced_sectors);
            tracer_.begin_requests(block, warps_[warp].requests);
            run_warp(warps_[warp]);
            warps_[warp].requests = tracer_.requests_begun();
        }
    } while (finish_barrier());
    for (const Warp& warp : warps_) {
        divergent_warps_ += warp.divergent;
        if (warp.requests.all > longest_requests_) { // blocks of one thread come in order
            longest_requests_ = warp.requests.all;
            longest_block_ = block;
        }
    }
    if (watched)
        races_.end_block(*launch_.races,
                         [this](std::uintptr_t address) { return tracer_.place_of(address); });
    if (tracing_) {
        const std::size_t size = traces_.back().size();
        std::size_t room = *launch_.room;
        while (!launch_.room->compare_exchange_weak(room, room - std::min(room, size)))
            ;
    }
}

void Worker::run_warp(Warp& warp)
{
    warp_ = &warp;
    const unsigned threads = warp.threads();
    bool divergent = false;
    for (unsigned round = 0; round < warp_patience; ++round) {
        run_ready_lanes(warp);
        if (warp.lanes[returned] == threads)
            break;
        const unsigned late = warp.lanes[yielded];
        const bool exchanged = finish_exchanges(warp);
        if (late != 0) {
            divergent |= tracer_.fold_passed(threads, late);
            warp.move(late, yielded, ready);
            if (round % turn_patience == turn_patience - 1) // they may wait for one of those
                finish_turn(warp);
        } else if (exchanged) {
            const unsigned live = threads & ~warp.lanes[returned] & ~warp.lanes[at_barrier];
            const bool all = live == warp.lanes[ready];
            divergent |= all ? tracer_.fold_all(threads) : tracer_.fold_passed(threads, live);
            races_.meet(warp.first / warp_lanes, all);
        } else if (warp.lanes[gathering] != 0) {
            finish_gathering(warp);
        } else if (warp.lanes[taking_turn] != 0) {
            finish_turn(warp);
        } else {
            break;
        }
    }
    divergent |= tracer_.fold_all(threads);
    warp.divergent |= divergent;
    warp.move(warp.lanes[gave_way], gave_way, ready);
}

host::Fiber* Worker::take_fiber()
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

void Worker::run_ready_lanes(Warp& warp)
{
    next_ = lane_order_.data() + warp.first;
    end_ = next_ + warp.size;
    while (next_ != end_) {
        Thread& thread = threads_[*next_];
        const unsigned lane = 1u << thread.number % warp_lanes;
        if (warp.lanes[fresh] & lane) {
            running_ = take_fiber();
        } else {
            ++next_;
            if ((warp.lanes[ready] & lane) == 0)
                continue;
            warp.lanes[ready] &= ~lane;
            running_ = thread.fiber;
            enter(thread);
        }
        host::Fiber* const fiber = running_;
        fiber->resume();
        if (!fiber->suspended())
            idle_.push_back(fiber);
    }
}

void Worker::run_fresh_lanes()
{
    while (next_ != end_) {
        Thread& thread = threads_[*next_];
        const unsigned lane = 1u << thread.number % warp_lanes;
        if ((warp_->lanes[fresh] & lane) == 0)
            return;
        ++next_;
        warp_->lanes[fresh] &= ~lane;
        enter(thread);
        if (launch_.counted) {
            tracer_.begin_thread();
            current_tracer = &tracer_;
        }
        launch_.body(launch_.context);
        current_tracer = nullptr;
        warp_->lanes[returned] |= lane;
    }
}

void Worker::enter(Thread& thread)
{
    current_ = &thread;
    set_thread_index(thread.index);
    if (!launch_.counted)
        return;
    tracer_.begin_lane(thread.number);
    if (thread.spin.looks > 0)
        tracer_.yield_at_next();
}

void Worker::suspend(State state)
{
    const Untraced untraced;
    warp_->lanes[state] |= 1u << lane();
    current_->fiber = running_;
    running_->suspend();
}

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
    const auto line_of = [&](unsigned lane) { return threads_[warp.first + lane].where.line; };
    unsigned first = 0;
    for (unsigned waiting = warp.lanes[taking_turn]; waiting != 0; waiting &= waiting - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(waiting));
        if (first == 0 || line_of(lane) < line_of(static_cast<unsigned>(std::countr_zero(first))))
            first = 0;
        if (first == 0 || line_of(lane) == line_of(static_cast<unsigned>(std::countr_zero(first))))
            first |= 1u << lane;
    }
    warp.move(first, taking_turn, ready);
}

bool Worker::finish_barrier()
{
    const Thread* first = nullptr;
    unsigned passed_true = 0;
    for (const Warp& warp : warps_)
        if (warp.lanes[ready] != 0)
            return true; // it only gave way to other warps
    for (const Warp& warp : warps_) {
        for (unsigned live = warp.threads() & ~warp.lanes[returned]; live != 0; live &= live - 1) {
            const unsigned lane = static_cast<unsigned>(std::countr_zero(live));
            const Thread& thread = threads_[warp.first + lane];
            if (first == nullptr)
                first = &thread;
            if ((warp.lanes[at_barrier] >> lane & 1) == 0 || !same_line(thread.where, first->where))
                report_divergence(*first);
            passed_true += thread.predicate;
        }
    }
    const auto any_returned = [](const Warp& warp) { return warp.lanes[returned] != 0; };
    if (first != nullptr && launch_.counted && partial_barrier_.sentence.empty() &&
        std::ranges::any_of(warps_, any_returned))
        note_partial_barrier(*first);
    if (first != nullptr && first->of_grid) {
        races_.meet_blocks();
        if (launch_.grid != nullptr)
            launch_.grid->wait();
    }
    barrier_count_ = passed_true;
    races_.meet();
    progress_ = {};
    for (std::size_t warp = 0; tracing_ && warp < warps_.size(); ++warp)
        if (warps_[warp].lanes[at_barrier] != 0)
            traces_.back().add(warp, Step::barrier);
    for (Warp& warp : warps_)
        warp.move(warp.lanes[at_barrier], at_barrier, ready);
    return first != nullptr;
}

bool Worker::waits_for_block(const Thread& thread) const
{
    return warps_[thread.number / warp_lanes].lanes[at_barrier] >> thread.number % warp_lanes & 1;
}

bool Worker::wait_together(const Thread& one, const Thread& other) const
{
    return waits_for_block(one) == waits_for_block(other) && same_line(one.where, other.where);
}

std::vector<const Worker::Thread*> Worker::live_threads() const
{
    std::vector<const Thread*> live;
    for (const Thread& thread : threads_) {
        const Warp& warp = warps_[thread.number / warp_lanes];
        if ((warp.lanes[returned] >> thread.number % warp_lanes & 1) == 0)
            live.push_back(&thread);
    }
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
           (waits_for_block(thread) ? " at the barrier of " : " in the warp-wide operation of ") +
           to_string(thread.where) +
           (waits_for_block(thread) ? ""
                                    : " with the mask " + hexadecimal(thread.mask, mask_digits));
}

void Worker::report_divergence(const Thread& first)
{
    current_ = &threads_[first.number];
    const auto live = live_threads();
    const auto other = std::find_if(live.begin(), live.end(), [&](const Thread* thread) {
        return !wait_together(*thread, first);
    });
    const bool counted = std::ranges::all_of(
        live, [this](const Thread* thread) { return waits_for_block(*thread); });
    const bool in_exchange_alone = std::ranges::none_of(
        live, [this](const Thread* thread) { return waits_for_block(*thread); });
    fault((in_exchange_alone ? "lanes that wait for each other: " : "divergent barrier: ") +
          describe_wait(first) + (other == live.end() ? "" : ", but " + describe_wait(**other)) +
          (in_exchange_alone ? "; the lanes that a mask names must make the same call with it."
           : counted ? "; all threads that are still running must reach the same one. A GPU only "
                       "counts them, and may let this pass; CUDA does not promise that."
                     : "; all threads that are still running must reach the same one."));
}

void Worker::note_partial_barrier(const Thread& first)
{
    const auto has_returned = [this](const Thread& thread) {
        const Warp& warp = warps_[thread.number / warp_lanes];
        return (warp.lanes[returned] >> thread.number % warp_lanes & 1) != 0;
    };
    const auto gone = std::ranges::find_if(threads_, has_returned);
    const auto others = std::ranges::count_if(threads_, has_returned) - 1;
    current_ = nullptr;
    partial_barrier_ = {
        block_,
        whereabouts() + ": " + describe_wait(first) + ", but thread " + to_string(gone->index) +
            (others == 0 ? " has"
                         : " and " + count(static_cast<std::size_t>(others), "other") + " have") +
            " returned from the kernel without it. A GPU waits only for the threads that are "
            "still running; CUDA promises nothing where not all threads of a block reach a "
            "barrier."};
}

int Worker::barrier(bool predicate, SourceLine where, bool of_grid)
{
    current_->spin.pc = 0;
    current_->of_grid = of_grid;
    current_->predicate = predicate;
    current_->where = where;
    current_->steps = 0;
    current_->clock_reads = 0;
    tracer_.note_meeting();
    suspend(at_barrier);
    return static_cast<int>(barrier_count_);
}

const WarpValues& Worker::warp_exchange(unsigned mask, std::uint64_t value, SourceLine where)
{
    Thread& self = *current_;
    self.spin.pc = 0;
    if ((mask >> lane() & 1) == 0)
        fault("passes the mask " + hexadecimal(mask, mask_digits) +
              " to the warp-wide operation of " + to_string(where) + ", but is lane " +
              std::to_string(lane()) +
              " and not in it; a mask names every lane that makes the call.");
    self.mask = mask;
    self.value = value;
    self.where = where;
    self.steps = 0;
    self.clock_reads = 0;
    tracer_.note_meeting();
    suspend(in_exchange);
    return *self.values;
}

unsigned Worker::active_mask(SourceLine where)
{
    Thread& self = *current_;
    self.where = where;
    suspend(gathering);
    return self.mask;
}

void Worker::yield(std::uintptr_t pc, std::uintptr_t address)
{
    if (!host::fibers_suspend())
        return; // the other lanes follow when this one has returned
    if (keeps_looking(pc, address))
        tracer_.yield_at_next();
    else
        suspend(yielded);
}

/// Looks at an access of the current thread; true if the next one must be looked at as well.
bool Worker::keeps_looking(std::uintptr_t pc, std::uintptr_t address)
{
    constexpr unsigned looks = 64;
    Spin& spin = current_->spin;
    if (spin.pc == 0) // it has met others since
        spin = {};
    spin.pc = pc;
    if (spin.looks > 0) {
        const auto end = spin.seen.begin() + spin.different;
        if (std::find(spin.seen.begin(), end, address) == end) {
            if (spin.different == spin.seen.size()) { // it does more than wait
                spin = {};
                return false;
            }
            spin.seen.at(spin.different++) = address;
        }
        may_wait_unseen_ |= --spin.looks == 0;
        return spin.looks > 0;
    }
    if (std::ranges::find(spin.addresses, address) == spin.addresses.end()) {
        std::rotate(spin.addresses.begin(), spin.addresses.end() - 1, spin.addresses.end());
        spin.addresses[0] = address;
        spin.repeats = 0;
        return false;
    }
    ++spin.repeats;
    if (may_wait_unseen_)
        return false;
    spin.looks = looks;
    spin.different = 0;
    return true;
}

void Worker::step(std::uintptr_t pc, std::uintptr_t address, bool writes)
{
    if (stacks_.region().contains(address))
        return;
    const bool shared = static_shared_.contains(address) ||
                        address - reinterpret_cast<std::uintptr_t>(dynamic_shared_) <
                            launch_.configuration.dynamic_shared_bytes;
    may_wait_unseen_ = true;
    if (shared && writes && ++current_->steps == 2 && warp_->size > 1) {
        const Untraced untraced;
        advise({launch_.configuration.kernel, 0},
               "goes from one volatile store to shared memory to the next without __syncwarp(): "
               "that the lanes of a warp go in step is what GPUs before Volta did, and the CPU "
               "device does it for this kernel; put __syncwarp() between the steps.");
    }
    wait_for_lanes(pc, address);
}

void Worker::wait_for_lanes(std::uintptr_t pc, std::uintptr_t address)
{
    // Now and then it looks whether the thread does anything but wait.
    if (++current_->waits % Tracer::yield_after == 0 && current_->spin.looks == 0)
        static_cast<void>(keeps_looking(pc, address)); // if so, from when it goes on
    suspend(yielded);
}

void Worker::take_turn(SourceLine where)
{
    current_->where = where;
    suspend(taking_turn);
}

void Worker::note_clock_read()
{
    if (++current_->clock_reads % clock_patience == 0)
        suspend(gave_way);
}

void Worker::look_for_spin()
{
    constexpr unsigned many = 256; // yields, each after some accesses
    const auto now = std::chrono::steady_clock::now();
    if (progress_ == std::chrono::steady_clock::time_point())
        progress_ = now;
    const double seconds = std::chrono::duration<double>(now - progress_).count();
    if (seconds < std::min(1.0, settings().patience))
        return;
    const Thread* spinning = nullptr;
    for (const Thread* thread : live_threads()) {
        const unsigned lanes = warps_[thread->number / warp_lanes].lanes[ready] |
                               warps_[thread->number / warp_lanes].lanes[yielded];
        if ((lanes >> thread->number % warp_lanes & 1) == 0)
            continue; // it waits for others
        if (thread->spin.repeats < many)
            return;
        spinning = thread;
    }
    if (spinning == nullptr)
        return;
    current_ = &threads_[spinning->number];
    report_spin(spinning->spin.pc, spinning->spin.addresses[0], seconds);
}

void Worker::abandon()
{
    for (;;)
        suspend(returned);
}

std::string Worker::whereabouts() const
{
    const LaunchConfiguration& configuration = launch_.configuration;
    std::string text = std::string("kernel ") + configuration.kernel + " (launched at " +
                       to_string(SourceLine{configuration.file, configuration.line}) + ")";
    if (device_count() > 1)
        text += " on device " + std::to_string(launch_.device);
    text += ", block " + to_string(block_index_);
    if (current_ != nullptr)
        text += ", thread " + to_string(current_->index);
    return text;
}

// --- for use inside kernels -----------------------------------------------------------------

namespace {

Worker& worker_of(const char* call)
{
    if (current_worker == nullptr)
        fault(std::string(call) + " was called outside of a kernel.");
    return *current_worker;
}

} // namespace

bool in_kernel()
{
    return current_worker != nullptr;
}

int barrier(bool predicate, SourceLine where)
{
    return worker_of("A barrier").barrier(predicate, where);
}

const WarpValues& warp_exchange(unsigned mask, std::uint64_t value, SourceLine where)
{
    return worker_of("A warp-wide operation").warp_exchange(mask, value, where);
}

unsigned active_mask(SourceLine where)
{
    return worker_of("__activemask()").active_mask(where);
}

void grid_barrier(SourceLine where)
{
    worker_of("A barrier").barrier(false, where, true);
}

namespace {
std::atomic<bool> abandoned = false;
}

void abandon_kernel()
{
    abandoned = true;
    worker_of("abandon_kernel()").abandon();
}

bool kernel_was_abandoned()
{
    return abandoned;
}

std::uint64_t blocks_begun()
{
    return worker_of("An asynchronous copy").blocks_begun();
}

void note_clock_read()
{
    note_effect();
    worker_of("The clock").note_clock_read();
}

void take_turn(SourceLine where)
{
    note_effect(); // it prints
    if (current_worker != nullptr)
        current_worker->take_turn(where);
}

void note_other_order()
{
    if (current_worker != nullptr)
        current_worker->note_other_order();
}

unsigned lane()
{
    return worker_of("A warp-wide operation").lane();
}

void* dynamic_shared()
{
    return worker_of("Dynamic shared memory").dynamic_shared();
}

void record_access(const void* address, std::size_t bytes, Access access, const void* site)
{
    if (current_worker == nullptr || !current_worker->counts())
        return;
    Tracer& tracer = current_worker->tracer();
    const auto pc = reinterpret_cast<std::uintptr_t>(site);
    const auto begin = reinterpret_cast<std::uintptr_t>(address);
    if (bytes <= 16 && std::has_single_bit(bytes))
        tracer.record(pc, begin, static_cast<unsigned>(bytes), access);
    else
        tracer.record_range(pc, begin, bytes, access);
}

void note_step(Step step, const void* site, std::size_t pending)
{
    if (current_worker == nullptr || !current_worker->counts())
        return;
    current_worker->tracer().note_step(reinterpret_cast<std::uintptr_t>(site), step, pending);
}

void yield_lane(std::uintptr_t pc, std::uintptr_t address)
{
    current_worker->yield(pc, address);
}

void wait_for_lanes(std::uintptr_t pc, std::uintptr_t address)
{
    current_worker->wait_for_lanes(pc, address);
}

void step_with_warp(std::uintptr_t pc, std::uintptr_t address, bool writes)
{
    current_worker->step(pc, address, writes);
}

} // namespace cpu_device
