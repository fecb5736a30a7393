#include "core/executor.hpp"

#include "core/devices.hpp"
#include "core/faults.hpp"
#include "core/program_image.hpp"
#include "cpu_device/device_limits.hpp"
#include "cpu_device/poison.hpp"
#include "cpu_device/settings.hpp"

#include <algorithm>
#include <bit>
#include <new>
#include <numeric>
#include <random>

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
constexpr std::size_t dynamic_shared_bytes = 256 * 1024;
/// Behind it nothing is mapped: an index that runs off its end is still told as such.
constexpr std::size_t dynamic_reserved_bytes = 4 * dynamic_shared_bytes;
/// Rounds of yields after which other warps get their turn: a warp may spin on a flag that one of
/// them sets.
constexpr unsigned rounds_before_warp_switch = 4096;
/// Rounds of yields after which lanes that take turns no longer let the others go first.
constexpr unsigned rounds_before_turn = 64;

} // namespace

__thread Worker* current_worker = nullptr;

Worker::Worker(bool guarded) : stacks_(max_threads, guarded)
{
    void* range = host::reserve(dynamic_reserved_bytes);
    if (range == nullptr)
        throw std::bad_alloc();
    if (!host::commit(range, dynamic_shared_bytes)) {
        host::unreserve(range, dynamic_reserved_bytes);
        throw std::bad_alloc();
    }
    dynamic_shared_ = static_cast<std::byte*>(range);
    exchanged_.resize(max_threads + max_threads * sizeof(std::uint64_t) / sizeof(WarpValues) + 1);
}

Worker::~Worker()
{
    host::unreserve(dynamic_shared_, dynamic_reserved_bytes);
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
    found_ = {};
    tracer_.sample_touches(launch_.sampled ? &found_.touches : nullptr);

    const auto address = [](const void* pointer) {
        return reinterpret_cast<std::uintptr_t>(pointer);
    };
    BlockMemory memory;
    memory.kernel = configuration.kernel;
    memory.device = launch_.device;
    memory.stacks = stacks_.region();
    const auto [variables, variable_bytes] = host::thread_variables();
    memory.static_shared = static_shared_ = {variables, variable_bytes, AddressSpace::shared};
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

Counts Worker::counted() const
{
    Counts counts = tracer_.counts();
    counts.divergent_warps = found_.divergent_warps;
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
    rounds_.clear();
    for (Thread& thread : threads_) {
        thread.steps = 0;
        thread.clock_reads = 0;
        thread.spin.pc = 0; // of the rest of it, yield()
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
    tracing_ = launch_.counted && launch_.trace_budget != nullptr &&
               block >= launch_.first_traced && *launch_.trace_budget > 0;
    const bool watched =
        launch_.counted && launch_.races != nullptr && launch_.races->watches(block);
    const bool compared =
        launch_.counted && launch_.races != nullptr && launch_.races->compares(block);
    if (watched || compared)
        races_.begin_block(block, watched, *launch_.races);
    tracer_.compare_blocks(compared ? &races_ : nullptr);
    if (launch_.races != nullptr)
        // In an order of the program's choice, a step that others have not taken is to show.
        tracer_.keep_in_step(launch_.counted && launch_.lane_order == 0 &&
                                 (watched || launch_.races->in_step()),
                             watched ? &races_ : nullptr);
    if (tracing_)
        found_.traces.push_back({.block = block,
                                 .warps = std::vector<std::vector<TracedStep>>(warps_.size()),
                                 .sectors = {}});
    do {
        if (!first && launch_.counted)
            look_for_spin();
        first = false;
        for (const unsigned warp : warp_order_) {
            tracer_.log_requests(block == 0 && warp == 0 ? launch_.log : nullptr);
            tracer_.trace_requests(tracing_ ? &found_.traces.back() : nullptr, warp,
                                   launch_.traced_sectors);
            tracer_.begin_requests(block, warps_[warp].requests);
            run_warp(warps_[warp]);
            warps_[warp].requests = tracer_.requests_begun();
        }
    } while (finish_barrier());
    for (const Warp& warp : warps_) {
        found_.divergent_warps += warp.divergent;
        found_.longest_requests = std::max(found_.longest_requests, warp.requests.all);
    }
    if (watched || compared)
        races_.end_block(*launch_.races,
                         [this](std::uintptr_t address) { return tracer_.place_of(address); });
    if (tracing_) {
        const std::size_t size = found_.traces.back().size();
        std::size_t left = *launch_.trace_budget;
        while (!launch_.trace_budget->compare_exchange_weak(left, left - std::min(left, size)))
            ;
    }
}

void Worker::run_warp(Warp& warp)
{
    warp_ = &warp;
    const unsigned threads = warp.threads();
    bool divergent = false;
    for (unsigned round = 0; round < rounds_before_warp_switch; ++round) {
        run_ready_lanes(warp);
        if (warp.lanes[returned] == threads)
            break;
        const unsigned late = warp.lanes[yielded];
        const bool exchanged = finish_exchanges(warp);
        if (late != 0) {
            divergent |= tracer_.fold_passed(threads, late);
            warp.move(late, yielded, ready);
            if (round % rounds_before_turn ==
                rounds_before_turn - 1) // they may wait for one of those
                finish_turn(warp);
        } else if (exchanged) {
            const unsigned live = threads & ~warp.lanes[returned] & ~warp.lanes[at_barrier];
            const bool all = live == warp.lanes[ready];
            divergent |= all ? tracer_.fold_all(threads) : tracer_.fold_passed(threads, live);
            races_.note_warp_barrier(warp.first / warp_lanes, all);
        } else if (warp.lanes[gathering] != 0) {
            finish_gathering(warp);
        } else if (warp.lanes[waiting_to_print] != 0) {
            finish_turn(warp);
        } else {
            break;
        }
    }
    divergent |= tracer_.fold_all(threads);
    warp.divergent |= divergent;
    warp.move(warp.lanes[yielded_to_warps], yielded_to_warps, ready);
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

Worker::Thread* Worker::take_ready_lane()
{
    for (; next_ != end_; ++next_) {
        Thread& thread = threads_[*next_];
        const unsigned lane = 1u << thread.number % warp_lanes;
        if (warp_->lanes[fresh] & lane)
            break;
        if ((warp_->lanes[ready] & lane) == 0)
            continue;
        ++next_;
        warp_->lanes[ready] &= ~lane;
        return &thread;
    }
    return nullptr;
}

void Worker::run_ready_lanes(Warp& warp)
{
    next_ = lane_order_.data() + warp.first;
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
    found_.waits += launch_.counted;
    host::Fiber& own = *running_;
    current_->fiber = &own;
    Thread* const next = take_ready_lane();
    if (next == nullptr)
        return own.suspend();
    running_ = next->fiber;
    enter(*next);
    own.suspend_for(*running_);
}

bool Worker::finish_barrier()
{
    const Thread* first = nullptr;
    unsigned passed_true = 0;
    for (const Warp& warp : warps_)
        if (warp.lanes[ready] != 0)
            return true; // it only gave way to other warps
    if (has_tiles_ && finish_tiles())
        return true;
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
    if (first != nullptr && launch_.counted && found_.partial_barrier.sentence.empty() &&
        std::ranges::any_of(warps_, [](const Warp& warp) { return warp.lanes[returned] != 0; }))
        note_partial_barrier(*first);
    if (first != nullptr && first->of_grid) {
        races_.note_grid_barrier();
        if (launch_.grid_barrier)
            launch_.grid_barrier();
    }
    barrier_count_ = passed_true;
    races_.note_block_barrier();
    progress_ = {};
    rounds_.clear();
    if (tracing_ && first != nullptr)
        ++found_.traces.back().barriers[to_string(first->where)];
    for (std::size_t warp = 0; tracing_ && warp < warps_.size(); ++warp)
        if (warps_[warp].lanes[at_barrier] != 0)
            found_.traces.back().add(warp, Step::barrier);
    for (Warp& warp : warps_)
        warp.move(warp.lanes[at_barrier], at_barrier, ready);
    return first != nullptr;
}

std::uint64_t* Worker::tile_values()
{
    return reinterpret_cast<std::uint64_t*>(exchanged_.data() + max_threads);
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

std::string Worker::advice_on_pitch(const Allocation& allocation, std::uintptr_t address,
                                    std::size_t bytes) const
{
    const std::size_t offset = address - reinterpret_cast<std::uintptr_t>(allocation.address);
    const std::size_t step = allocation.pitch * bytes;
    if (step <= allocation.pitch || offset % step >= allocation.pitch)
        return "";
    const Dimensions& block = launch_.configuration.block;
    const Dimensions& thread = current_->index;
    const std::size_t row = offset / step;
    // What a kernel computes a row from; one that a loop has come to is not known.
    const std::array<std::size_t, 4> rows = {block_index_.x, block_index_.y,
                                             std::size_t{block_index_.x} * block.x + thread.x,
                                             std::size_t{block_index_.y} * block.y + thread.y};
    if (row == 0 || std::ranges::find(rows, row) == rows.end())
        return "";
    return " Rows of that allocation are " + count(allocation.pitch, "byte") +
           " apart, and this would be row " + std::to_string(row) +
           " if they were that many elements of " + count(bytes, "byte") +
           " apart: a pitch is in bytes. Add it to a char*: (T*)((char*)base + row * pitch)" +
           settings().page_on_pitch + ".";
}

void Worker::abandon()
{
    for (;;)
        suspend(returned);
}

} // namespace cpu_device
