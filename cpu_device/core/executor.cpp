#include "core/executor.hpp"

#include "core/devices.hpp"
#include "core/faults.hpp"
#include "core/host.hpp"
#include "cpu_device/device_limits.hpp"
#include "cpu_device/settings.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <new>

namespace cpu_device {

namespace {

constexpr std::size_t dynamic_shared_bytes = 256 * 1024;
/// Behind it nothing is mapped: an index that runs off its end is still told as such.
constexpr std::size_t dynamic_reserved_bytes = 4 * dynamic_shared_bytes;

} // namespace

__thread Worker* current_worker = nullptr;

Worker::Worker(bool guarded) : scheduler_(tracer_, races_, guarded)
{
    void* range = host::reserve(dynamic_reserved_bytes);
    if (range == nullptr)
        throw std::bad_alloc();
    if (!host::commit(range, dynamic_shared_bytes)) {
        host::unreserve(range, dynamic_reserved_bytes);
        throw std::bad_alloc();
    }
    dynamic_shared_ = static_cast<std::byte*>(range);
}

Worker::~Worker()
{
    host::unreserve(dynamic_shared_, dynamic_reserved_bytes);
}

void Worker::begin_launch(const KernelRun& launch)
{
    launch_ = launch;
    found_ = {};
    const LaunchConfiguration& configuration = launch_.configuration;
    scheduler_.begin_launch(configuration, launch_.body, launch_.context);

    const auto shared = [this](std::size_t bytes) {
        const auto begin = reinterpret_cast<std::uintptr_t>(dynamic_shared_);
        return Region{begin, bytes, AddressSpace::shared};
    };
    const auto [variables, variable_bytes] = host::thread_variables();
    static_shared_ = {variables, variable_bytes, AddressSpace::shared};
    tracer_.begin_launch({.kernel = configuration.kernel,
                          .device = launch_.device,
                          .stacks = scheduler_.stacks().region(),
                          .static_shared = static_shared_,
                          .dynamic_shared = shared(configuration.dynamic_shared_bytes),
                          .dynamic_reserved = shared(dynamic_reserved_bytes),
                          .exchange = scheduler_.block().exchanged()},
                         launch_.sampled ? &found_.touches : nullptr);
    set_current_device(launch_.device);
    current_worker = this;
}

void Worker::end_launch()
{
    tracer_.memory().poison_shared(!launch_.counted);
    current_worker = nullptr;
}

Counts Worker::counted() const
{
    Counts counts = tracer_.counter().counts();
    counts.divergent_warps = found_.divergent_warps;
    return counts;
}

void Worker::run_block(std::uint64_t block)
{
    if (kernel_was_abandoned())
        return;
    begin_block(block);
    BlockThreads& threads = scheduler_.block();
    do {
        for (const unsigned number : threads.warp_order) {
            Warp& warp = threads.warps[number];
            tracer_.begin_warp(block, warp.requests,
                               {.number = number,
                                .log = block == 0 && number == 0 ? launch_.log : nullptr,
                                .trace = tracing_ ? &found_.traces.back() : nullptr,
                                .sectors = launch_.traced_sectors});
            scheduler_.run_warp(warp);
            warp.requests = tracer_.requests_begun();
        }
    } while (finish_barrier());
    for (const Warp& warp : threads.warps) {
        found_.divergent_warps += warp.divergent;
        found_.longest_requests = std::max(found_.longest_requests, warp.requests.all);
    }
    if (watched_ || compared_)
        races_.end_block(*launch_.races, [this](std::uintptr_t address) {
            return tracer_.memory().describe(address);
        });
    if (tracing_) {
        const std::size_t size = found_.traces.back().size();
        std::size_t left = *launch_.trace_budget;
        while (!launch_.trace_budget->compare_exchange_weak(left, left - std::min(left, size)))
            ;
    }
}

void Worker::begin_block(std::uint64_t block)
{
    block_ = block;
    block_index_ = unravel(block, launch_.configuration.grid);
    scheduler_.begin_block(block, block_index_, launch_.lane_order, launch_.counted);
    if (launch_.counted) {
        // Shared memory starts undefined. What the block before left there must not look like a
        // result.
        std::fill_n(reinterpret_cast<std::uint32_t*>(dynamic_shared_),
                    (launch_.configuration.dynamic_shared_bytes + 3) / 4, poison);
        tracer_.memory().poison_shared(false);
    }
    const bool possible = launch_.counted && launch_.races != nullptr;
    watched_ = possible && launch_.races->watches(block);
    compared_ = possible && launch_.races->compares(block);
    if (watched_ || compared_)
        races_.begin_block(block, *launch_.races);
    tracer_.compare_blocks(compared_ ? &races_ : nullptr);
    if (launch_.races != nullptr)
        // In an order of the program's choice, a step that others have not taken is to show.
        tracer_.keep_in_step(launch_.counted && launch_.lane_order == 0 &&
                                 (watched_ || launch_.races->in_step()),
                             watched_ ? &races_ : nullptr);
    tracing_ = launch_.counted && launch_.trace_budget != nullptr &&
               block >= launch_.first_traced && *launch_.trace_budget > 0;
    if (tracing_)
        found_.traces.push_back(
            {.block = block,
             .warps = std::vector<std::vector<TracedStep>>(scheduler_.block().warps.size()),
             .sectors = {}});
}

bool Worker::finish_barrier()
{
    const Meeting meeting = scheduler_.find_meeting();
    for (unsigned warps = tracing_ ? meeting.warps : 0; warps != 0; warps &= warps - 1)
        found_.traces.back().add(static_cast<unsigned>(std::countr_zero(warps)), Step::barrier);
    if (const Thread* const first = meeting.first; first != nullptr) {
        if (launch_.counted && meeting.is_partial && found_.partial_barrier.sentence.empty())
            found_.partial_barrier = {block_,
                                      whereabouts(false) + ": " +
                                          scheduler_.block().describe_partial_barrier(*first)};
        if (tracing_)
            ++found_.traces.back().barriers[to_string(first->where)];
        if (first->of_grid)
            races_.note_grid_barrier();
        if (first->of_grid && launch_.grid_barrier)
            launch_.grid_barrier();
        scheduler_.pass_barrier();
    }
    if (launch_.counted && !meeting.over)
        scheduler_.look_for_spin();
    return !meeting.over;
}

std::string Worker::whereabouts(bool of_thread) const
{
    std::string text = name_of(launch_.configuration);
    if (device_count() > 1)
        text += " on device " + std::to_string(launch_.device);
    text += ", block " + to_string(block_index_);
    if (of_thread && scheduler_.current() != nullptr)
        text += ", thread " + to_string(scheduler_.current()->index);
    return text;
}

void Worker::step(std::uintptr_t pc, std::uintptr_t address, bool writes)
{
    if (scheduler_.stacks().region().contains(address))
        return;
    const bool shared = static_shared_.contains(address) ||
                        address - reinterpret_cast<std::uintptr_t>(dynamic_shared_) <
                            launch_.configuration.dynamic_shared_bytes;
    scheduler_.spins().note_step();
    if (!shared)
        races_.note_grid_barrier(); // by a flag, perhaps
    if (shared && writes && ++scheduler_.current()->steps == 2 && scheduler_.warp_size() > 1) {
        const Untraced untraced;
        advise({launch_.configuration.kernel, 0},
               "makes consecutive volatile stores to shared memory without __syncwarp(): GPUs "
               "before Volta ran the lanes of a warp in lockstep, and so does the CPU device for "
               "this kernel; put __syncwarp() between the steps.");
    }
    scheduler_.wait_for_lanes(pc, address);
}

std::string Worker::advice_on_pitch(const Allocation& allocation, std::uintptr_t address,
                                    std::size_t bytes) const
{
    const std::size_t offset = address - allocation.begin;
    const std::size_t step = allocation.pitch * bytes;
    if (step <= allocation.pitch || offset % step >= allocation.pitch)
        return "";
    const Dimensions& block = launch_.configuration.block;
    const Dimensions& thread = scheduler_.current()->index;
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

} // namespace cpu_device
