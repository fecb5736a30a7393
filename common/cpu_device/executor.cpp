#include "common/cpu_device/executor.hpp"

#include "common/cpu_device/include/cpu_device/device_limits.hpp"
#include "common/cpu_device/program_image.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>
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

constexpr unsigned max_threads = static_cast<unsigned>(device_limits.max_threads_per_block);
constexpr std::size_t dynamic_shared_bytes = 256 * 1024;
/// Behind it nothing is mapped: an index that runs off its end is still told as such.
constexpr std::size_t dynamic_reserved_bytes = 4 * dynamic_shared_bytes;
/// Rounds of yields after which other warps get their turn: a warp may spin on a flag that one of
/// them sets.
constexpr unsigned warp_patience = 4096;

std::string to_string(const Dimensions& index)
{
    std::string text = "(";
    text += std::to_string(index.x) + ", " + std::to_string(index.y) + ", ";
    return text + std::to_string(index.z) + ")";
}

std::string to_string(const SourceLine& where)
{
    const char* slash = std::strrchr(where.file, '/');
    return std::string(slash == nullptr ? where.file : slash + 1) + ":" +
           std::to_string(where.line);
}

bool same_line(const SourceLine& one, const SourceLine& other)
{
    return one.line == other.line &&
           (one.file == other.file || std::strcmp(one.file, other.file) == 0);
}

Dimensions unravel(std::uint64_t number, const Dimensions& size)
{
    return {static_cast<unsigned>(number % size.x), static_cast<unsigned>(number / size.x % size.y),
            static_cast<unsigned>(number / size.x / size.y)};
}

} // namespace

__thread Worker* current_worker = nullptr;

Worker::Worker() : stacks_(max_threads)
{
    void* range = mmap(nullptr, dynamic_reserved_bytes, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (range == MAP_FAILED || mprotect(range, dynamic_shared_bytes, PROT_READ | PROT_WRITE) != 0)
        throw std::bad_alloc();
    dynamic_shared_ = static_cast<std::byte*>(range);
    exchanged_.resize(max_threads);
}

void Worker::begin_launch(const Launch& launch)
{
    launch_ = launch;
    const LaunchConfiguration& configuration = launch_.configuration;
    const Dimensions& block = configuration.block;
    const unsigned threads = block.x * block.y * block.z;

    threads_.assign(threads, Thread());
    warps_.clear();
    warp_order_.clear();
    lane_order_.resize(threads);
    for (unsigned number = 0; number < threads; ++number) {
        threads_[number].number = number;
        threads_[number].index = unravel(number, block);
        lane_order_[number] = number;
    }
    for (unsigned first = 0; first < threads; first += warp_lanes) {
        warp_order_.push_back(static_cast<unsigned>(warps_.size()));
        warps_.push_back({first, std::min(warp_lanes, threads - first)});
    }
    divergent_.assign(warps_.size(), false);
    divergent_warps_ = 0;

    const auto address = [](const void* pointer) {
        return reinterpret_cast<std::uintptr_t>(pointer);
    };
    BlockMemory memory;
    memory.stacks = stacks_.region();
    memory.static_shared = ProgramImage::thread_variables();
    memory.dynamic_shared = {address(dynamic_shared_), configuration.dynamic_shared_bytes,
                             Space::shared};
    memory.dynamic_reserved = {address(dynamic_shared_), dynamic_reserved_bytes, Space::shared};
    memory.exchange = {address(exchanged_.data()), exchanged_.size() * sizeof(WarpValues),
                       Space::uncounted};
    tracer_.begin_launch(memory);

    set_block_dimensions(block);
    set_grid_dimensions(configuration.grid);
    current_worker = this;
    current_tracer = launch.tracing ? &tracer_ : nullptr;
}

common::Counts Worker::end_launch()
{
    current_worker = nullptr;
    current_tracer = nullptr;
    common::Counts counts = tracer_.counts();
    counts.divergent_warps = divergent_warps_;
    return counts;
}

void Worker::begin_block(std::uint64_t block)
{
    block_index_ = unravel(block, launch_.configuration.grid);
    set_block_index(block_index_);
    for (Thread& thread : threads_)
        thread.state = State::fresh;
    returned_ = 0;
    std::fill(divergent_.begin(), divergent_.end(), false);
    if (launch_.lane_order != 0)
        shuffle(block);
    // Shared memory starts undefined. What the block before left there must not look like a result.
    std::fill_n(reinterpret_cast<std::uint32_t*>(dynamic_shared_),
                (launch_.configuration.dynamic_shared_bytes + 3) / 4, poison);
    tracer_.poison_static_shared();
    forget_async_copies();
}

void Worker::shuffle(std::uint64_t block)
{
    // Seeded by block, so that the order does not depend on how many threads the host has.
    std::seed_seq seed{launch_.lane_order, launch_.lane_order >> 32, block, block >> 32};
    std::minstd_rand random(seed);
    std::shuffle(warp_order_.begin(), warp_order_.end(), random);
    for (const Warp& warp : warps_)
        std::shuffle(lane_order_.begin() + warp.first, lane_order_.begin() + warp.first + warp.size,
                     random);
}

void Worker::run_block(std::uint64_t block)
{
    begin_block(block);
    do {
        for (const unsigned warp : warp_order_)
            run_warp(warps_[warp]);
    } while (finish_barrier());
    divergent_warps_ +=
        static_cast<std::uint64_t>(std::count(divergent_.begin(), divergent_.end(), true));
}

void Worker::run_warp(const Warp& warp)
{
    bool divergent = false;
    for (unsigned round = 0; round < warp_patience; ++round) {
        run_ready_lanes(warp);
        const unsigned yielded = lanes_in(warp, State::running);
        const bool exchanged = finish_exchanges(warp);
        if (yielded != 0) {
            divergent |= tracer_.fold_passed(warp.threads(), yielded);
            for (unsigned lane = 0; lane < warp.size; ++lane)
                if (yielded >> lane & 1)
                    threads_[warp.first + lane].state = State::ready;
        } else if (!exchanged) {
            if (lanes_in(warp, State::gathering) == 0)
                break;
            finish_gathering(warp);
        } else if (const unsigned live = warp.threads() & ~lanes_in(warp, State::returned) &
                                         ~lanes_in(warp, State::at_barrier);
                   live == lanes_in(warp, State::ready)) {
            divergent |= tracer_.fold_all(warp.threads());
        } else {
            divergent |= tracer_.fold_passed(warp.threads(), live);
        }
    }
    for (unsigned lane = 0; lane < warp.size; ++lane)
        if (threads_[warp.first + lane].state == State::gave_way)
            threads_[warp.first + lane].state = State::ready;
    divergent |= tracer_.fold_all(warp.threads());
    if (divergent)
        divergent_[warp.first / warp_lanes] = true;
}

void Worker::run_ready_lanes(const Warp& warp)
{
    next_ = lane_order_.data() + warp.first;
    end_ = next_ + warp.size;
    while (next_ != end_) {
        Thread& thread = threads_[*next_];
        if (thread.state == State::fresh) {
            if (idle_.empty()) {
                fibers_.push_back(std::make_unique<Fiber>(
                    stacks_, [this](Fiber& fiber) { run_fresh_lanes(fiber); }));
                idle_.push_back(fibers_.back().get());
            }
            running_ = idle_.back();
            idle_.pop_back();
        } else {
            ++next_;
            if (thread.state != State::ready)
                continue;
            running_ = thread.fiber;
            enter(thread);
        }
        Fiber* const fiber = running_;
        fiber->resume();
        if (!fiber->suspended())
            idle_.push_back(fiber);
    }
}

void Worker::run_fresh_lanes(Fiber&)
{
    while (next_ != end_) {
        Thread& thread = threads_[*next_];
        if (thread.state != State::fresh)
            return;
        ++next_;
        enter(thread);
        launch_.body(launch_.context);
        // Not `thread`: the body may have waited, and others have run since.
        current_->state = State::returned;
        ++returned_;
    }
}

void Worker::enter(Thread& thread)
{
    current_ = &thread;
    thread.state = State::running;
    set_thread_index(thread.index);
    tracer_.begin_lane(thread.number % warp_lanes);
}

void Worker::suspend(State state)
{
    current_->state = state;
    current_->fiber = running_;
    running_->suspend();
}

unsigned Worker::lanes_in(const Warp& warp, State state) const
{
    unsigned lanes = 0;
    for (unsigned lane = 0; lane < warp.size; ++lane)
        lanes |= static_cast<unsigned>(threads_[warp.first + lane].state == state) << lane;
    return lanes;
}

bool Worker::finish_exchanges(const Warp& warp)
{
    const unsigned waiting = lanes_in(warp, State::in_exchange);
    if (waiting == 0)
        return false;
    const unsigned live = warp.threads() & ~lanes_in(warp, State::returned);
    unsigned finished = 0;
    for (unsigned lane = 0; lane < warp.size; ++lane) {
        if ((waiting >> lane & 1) == 0 || (finished >> lane & 1))
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
                thread.state = State::ready;
            }
        }
        finished |= together;
    }
    return finished != 0;
}

void Worker::finish_gathering(const Warp& warp)
{
    for (unsigned lane = 0; lane < warp.size; ++lane) {
        Thread& first = threads_[warp.first + lane];
        if (first.state != State::gathering)
            continue;
        unsigned together = 0;
        for (unsigned other = lane; other < warp.size; ++other) {
            const Thread& thread = threads_[warp.first + other];
            if (thread.state == State::gathering && same_line(thread.where, first.where))
                together |= 1u << other;
        }
        for (unsigned other = lane; other < warp.size; ++other) {
            if (together >> other & 1) {
                threads_[warp.first + other].mask = together;
                threads_[warp.first + other].state = State::ready;
            }
        }
    }
}

bool Worker::finish_barrier()
{
    if (returned_ == threads_.size())
        return false;
    const Thread* first = nullptr;
    unsigned passed_true = 0;
    for (const Thread& thread : threads_) {
        if (thread.state == State::returned)
            continue;
        if (thread.state == State::ready)
            return true; // it only gave way to other warps
        if (first == nullptr)
            first = &thread;
        if (thread.state != State::at_barrier || !same_line(thread.where, first->where))
            report_divergence(*first, thread);
        passed_true += thread.predicate;
    }
    barrier_count_ = passed_true;
    for (Thread& thread : threads_)
        if (thread.state == State::at_barrier)
            thread.state = State::ready;
    return true;
}

std::string Worker::describe_wait(const Thread& thread) const
{
    unsigned others = 0;
    for (const Thread& other : threads_)
        others += &other != &thread && other.state == thread.state &&
                  same_line(other.where, thread.where);
    std::string text = "thread " + to_string(thread.index);
    if (others != 0)
        text += " and " + std::to_string(others) + (others == 1 ? " other wait" : " others wait");
    else
        text += " waits";
    return text +
           (thread.state == State::at_barrier ? " at the barrier of " : " for its warp at ") +
           to_string(thread.where);
}

void Worker::report_divergence(const Thread& one, const Thread& other)
{
    current_ = &threads_[one.number];
    // One lane alone may wait in vain for others of its warp.
    fault("divergent barrier: " + describe_wait(one) +
          (&one == &other ? "" : ", but " + describe_wait(other)) +
          "; all threads that are still running must reach the same one.");
}

int Worker::barrier(bool predicate, SourceLine where)
{
    current_->predicate = predicate;
    current_->where = where;
    suspend(State::at_barrier);
    return static_cast<int>(barrier_count_);
}

const WarpValues& Worker::warp_exchange(unsigned mask, std::uint64_t value, SourceLine where)
{
    Thread& self = *current_;
    self.mask = mask | 1u << lane();
    self.value = value;
    self.where = where;
    suspend(State::in_exchange);
    return *self.values;
}

unsigned Worker::active_mask(SourceLine where)
{
    Thread& self = *current_;
    self.where = where;
    suspend(State::gathering);
    return self.mask;
}

void Worker::yield()
{
    suspend(State::running);
}

std::string Worker::whereabouts() const
{
    const LaunchConfiguration& configuration = launch_.configuration;
    std::string text = std::string("kernel ") + configuration.kernel + " (launched at " +
                       to_string(SourceLine{configuration.file, configuration.line}) + "), block " +
                       to_string(block_index_);
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

void give_way()
{
    worker_of("A wait for other warps").give_way();
}

unsigned lane()
{
    return worker_of("A warp-wide operation").lane();
}

void* dynamic_shared()
{
    return worker_of("Dynamic shared memory").dynamic_shared();
}

void yield_lane()
{
    current_worker->yield();
}

} // namespace cpu_device
