#include "core/launch_totals.hpp"

#include "core/arena.hpp"
#include "core/host.hpp"
#include "core/sample.hpp"

#include <cmath>
#include <iterator>
#include <set>
#include <utility>

namespace cpu_device {

std::uint64_t requests_of(const Counts& counts)
{
    return counts.load_requests + counts.store_requests + counts.atomic_requests +
           counts.shared_load_requests + counts.shared_store_requests;
}

void LaunchTotals::add(Worker& worker, std::uint64_t own_blocks, std::uint64_t own_counted,
                       double own_seconds, const Strata& own_strata)
{
    worker.end_launch();
    const std::lock_guard lock(mutex);
    blocks += own_blocks;
    counted += own_counted;
    BlockFindings& own = worker.found();
    may_wait_unseen |= worker.scheduler().spins().may_wait_unseen();
    if (own.partial_barrier.block < partial_barrier.block)
        partial_barrier = own.partial_barrier;
    if (!own.advice.empty())
        advice = own.advice;
    std::move(own.traces.begin(), own.traces.end(), std::back_inserter(traces));
    touches.take(own.touches);
    longest_requests = std::max(longest_requests, own.longest_requests);
    counts += worker.counted();
    seconds += own_seconds;
    waits += worker.scheduler().waits();
    host += worker.tracer().counter().host_sectors();
    for (std::size_t i = 0; i < peers.size(); ++i)
        peers[i] += worker.tracer().counter().peer_traffic()[i];
    add_local_arrays(local_arrays, worker.tracer().memory().arrays().traffic());
    for (std::size_t i = 0; i < own_strata.counts.size(); ++i)
        strata.add(i, own_strata.counts[i], own_strata.counted[i]);
}

void scale(Counts& counts, double factor)
{
    for (const Counter& counter : counters)
        counts.*counter.member = static_cast<std::uint64_t>(
            std::llround(factor * static_cast<double>(counts.*counter.member)));
}

void LaunchTotals::scale_sample()
{
    double waiting = 0; // blocks of strata of which none was counted: the next one stands for them
    strata.counts.resize(blocks_of_strata.size());
    strata.counted.resize(blocks_of_strata.size());
    const auto last = std::find_if(strata.counted.rbegin(), strata.counted.rend(),
                                   [](std::uint64_t of_stratum) { return of_stratum > 0; });
    const auto end = static_cast<std::size_t>(strata.counted.rend() - last);
    for (std::size_t i = end; i < strata.counted.size(); ++i)
        waiting += static_cast<double>(blocks_of_strata[i]);
    for (std::size_t i = 0; i < end; ++i) {
        waiting += static_cast<double>(blocks_of_strata[i]);
        if (strata.counted[i] == 0)
            continue;
        counts -= strata.counts[i];
        scale(strata.counts[i], waiting / static_cast<double>(strata.counted[i]));
        counts += strata.counts[i];
        waiting = 0;
    }
    if (end == 0) { // it chose none but the first, or those that are traced
        const auto own = static_cast<double>(counted);
        scale(counts, (own + waiting) / own);
    }
}

void scale_to_grid(Touched& touched, double factor)
{
    const double most =
        std::ceil(static_cast<double>(touched.allocation.bytes) / Counts::sector_bytes);
    touched.span.sectors = static_cast<std::uint64_t>(
        std::llround(std::min(most, factor * static_cast<double>(touched.span.sectors))));
}

void forget_scattered_stores(const std::vector<BlockTrace>& traces)
{
    constexpr std::size_t large = std::size_t{256} << 20U;
    std::set<GlobalRegion*> scattered;
    const auto for_each_step = [&](auto look) {
        for (const BlockTrace& trace : traces)
            for (const std::vector<TracedStep>& warp : trace.warps)
                for (const TracedStep& step : warp)
                    if (step.count > 0)
                        look(step, trace.sectors[step.first].number * Counts::sector_bytes);
    };
    for_each_step([&](const TracedStep& step, std::uintptr_t address) {
        if (step.step == Step::store && step.irregular)
            scattered.insert(arena().find_region(address));
    });
    if (scattered.empty())
        return;
    for_each_step([&](const TracedStep& step, std::uintptr_t address) {
        if (step.step != Step::store)
            scattered.erase(arena().find_region(address));
    });
    for (const GlobalRegion* region : scattered)
        if (region != nullptr && region->bytes >= large) {
            host::discard(reinterpret_cast<void*>(region->begin), region->bytes);
            static_cast<void>(host::commit(reinterpret_cast<void*>(region->begin), region->bytes));
        }
}

void drop_late(std::vector<BlockTrace>& traces)
{
    std::size_t size = 0;
    const auto late = std::ranges::find_if(traces, [&](const BlockTrace& trace) {
        return std::exchange(size, size + trace.size()) >= traced_size;
    });
    traces.erase(late, traces.end());
}

} // namespace cpu_device
