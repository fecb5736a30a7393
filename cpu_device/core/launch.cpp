#include "core/arena.hpp"
#include "core/devices.hpp"
#include "core/executor.hpp"
#include "core/faults.hpp"
#include "core/host.hpp"
#include "core/immortal.hpp"
#include "core/kernels.hpp"
#include "core/launch_monitor.hpp"
#include "core/launch_totals.hpp"
#include "core/memory.hpp"
#include "core/program_image.hpp"
#include "core/races.hpp"
#include "core/recorder.hpp"
#include "core/repetition.hpp"
#include "core/sample.hpp"
#include "cpu_device/launches.hpp"
#include "cpu_device/settings.hpp"
#include "cpu_device/trace.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace cpu_device {

namespace {

/// Each suspended thread needs a stack, and the operating system allows a process some 65,000
/// mappings: two a stack.
constexpr unsigned max_stacks = 8192;

std::atomic<Detail> current_detail = Detail::counts;
std::atomic<bool> access_policy = false;
/// Never destroyed: a report may be made while the program ends.
std::vector<LaunchRecord>& records = *new std::vector<LaunchRecord>;

/// What counting a launch takes next to its requests, in requests: the caches are modelled from
/// empty, and what it touched is looked up in all memory. 128 launches are enough.
constexpr std::uint64_t fewest_requests = 1 << 13;

/// LaunchRecord::numbers
std::vector<std::pair<std::string, long long>> numbers_of(const LaunchConfiguration& configuration)
{
    std::vector<std::pair<std::string, long long>> numbers;
    std::string_view names = configuration.parameters;
    for (std::size_t i = 0; i < configuration.number_count; ++i) {
        const std::size_t end = std::min(names.find(", "), names.size());
        const std::string name(names.substr(0, end));
        names.remove_prefix(std::min(end + 2, names.size()));
        if (configuration.numbers[i].is_one)
            numbers.emplace_back(name.empty() ? "argument " + std::to_string(i + 1) : name,
                                 configuration.numbers[i].value);
    }
    return numbers;
}

/// True of a launch of which not all has to be counted, if the kernel can do without.
bool may_go_uncounted(const LaunchConfiguration& configuration)
{
    return configuration.by_address && !configuration.cooperative && settings().lane_order == 0 &&
           detail() != Detail::sample && !RequestLog::wanted() &&
           !repeats_of(configuration).must_count;
}

/// What tells a launch from all that might compute something else; empty where that is not known.
std::string identity_of(const LaunchConfiguration& configuration)
{
    if (configuration.context_bytes == 0)
        return {};
    return Repetition::identity(configuration.function, configuration.grid, configuration.block,
                                configuration.dynamic_shared_bytes, current_device()) +
           std::string(reinterpret_cast<const char*>(configuration.arguments),
                       configuration.argument_bytes);
}

/// True of a launch that need not be counted because those so far tell enough of the kernel:
/// Settings::counted_launches, or, without, those that made 2^20 requests, which takes some tenths
/// of a second, or 128 launches, or one of the same arguments where the program repeats launches at
/// which nobody looks. One at least: only a counted launch shows whether threads wait for each
/// other unseen.
bool is_repeat(const LaunchConfiguration& configuration, const std::string& identity)
{
    const Repeats& repeats = repeats_of(configuration);
    if (!may_go_uncounted(configuration) || repeats.launches == 0)
        return false;
    if (const std::optional<std::uint64_t> wanted = settings().counted_launches)
        return repeats.launches >= *wanted;
    return repeats.requests >= enough_requests || (any_deferred() && Repetition::has_run(identity));
}

/// Runs the blocks side by side, each on a thread of its own, because they may wait for each other.
void run_together(KernelRun launch, std::uint64_t blocks, LaunchTotals& found)
{
    // Kept for the next launch, as each thread's stack takes a page fault. Never destroyed: threads
    // of an abandoned kernel, which nobody resumes, cannot be unwound.
    auto& own_workers = immortal<std::deque<Worker>>();
    const auto make = [&](std::uint64_t block, std::function<void()> meet) {
        launch.grid_barrier = std::move(meet);
        if (own_workers.size() <= block)
            own_workers.emplace_back(false);
        return [&, block, &worker = own_workers[block]] {
            worker.begin_launch(launch);
            worker.run_block(block);
            found.add(worker, 1, 1);
        };
    };
    const auto fail = [&](std::size_t threads, const std::string& why) {
        fault("The blocks of kernel " + std::string(launch.configuration.kernel) +
              " may wait for each other, so each of the " + std::to_string(blocks) +
              " needs a host thread, but the host has only " + std::to_string(threads) + " (" +
              why +
              "). Launch fewer blocks, or raise the limits on threads and their memory: "
              "ulimit -u and -v, or those of the container.");
    };
    host::run_together(blocks, make, fail);
}

/// Runs the blocks from `first` on in order, as many at a time as the host has processors; while
/// there is space for their traces if that is all that is wanted of them.
void run_in_turn(const KernelRun& launch, std::uint64_t first, std::uint64_t blocks,
                 LaunchTotals& found)
{
    const Dimensions& block = launch.configuration.block;
    const unsigned by_stacks = max_stacks / (block.x * block.y * block.z);
    const std::uint64_t cores = host::processors();
    const bool sample = detail() == Detail::sample;
    // One thread takes a sample: where it ends must not depend on how two of them share the work.
    const std::size_t threads = sample || settings().sequential_blocks
                                    ? 1
                                    : std::min({blocks, std::uint64_t{by_stacks}, cores});
    // One for each thread of the host that runs blocks: the process may end while one is suspended.
    auto& workers = immortal<std::vector<std::unique_ptr<Worker>>>();
    while (workers.size() < threads)
        workers.push_back(std::make_unique<Worker>());
    for (std::size_t i = 0; launch.races != nullptr && i < threads; ++i)
        workers[i]->prepare_to_watch();

    std::atomic<std::uint64_t> next = first;
    Sample some(launch.counted && may_go_uncounted(launch.configuration) &&
                    !settings().counted_launches,
                blocks, launch.first_traced);
    note_progress(&next, blocks);
    host::run_on_threads(threads, [&](std::size_t thread) {
        Worker& worker = *workers[thread];
        worker.begin_launch(launch);
        std::uint64_t own_blocks = 0, own_counted = 0;
        double seconds = 0; // for blocks that are counted
        LaunchTotals::Strata strata;
        bool halfway = false; // through the budget of a sample
        // In order, so that a block may wait for an earlier one.
        while (!sample || *launch.trace_budget > 0) {
            const std::uint64_t index = next++;
            if (index >= blocks)
                break;
            ++own_blocks;
            const std::optional<std::size_t> stratum =
                launch.counted ? some.stratum_of(index) : std::nullopt;
            if (launch.counted)
                worker.count_blocks(stratum.has_value());
            if (!stratum) {
                worker.run_block(index);
                continue;
            }
            ++own_counted;
            worker.found().touches.set_weight(some.weight(*stratum));
            const Counts before = worker.counted();
            // The system takes as long to tell the time as a small block does: where there are
            // many, one in eight stands for the others.
            const std::uint64_t stride = own_counted <= 16 ? 1 : 8;
            const bool timed = index >= Sample::first_blocks && // those are watched closely
                               own_counted % stride == 0;
            const double began = timed ? host::thread_seconds() : 0;
            worker.run_block(index);
            Counts own = worker.counted();
            own -= before;
            if (sample && *launch.trace_budget < traced_size / 2 && !std::exchange(halfway, true))
                forget_scattered_stores(worker.found().traces);
            if (timed)
                seconds += (host::thread_seconds() - began) * static_cast<double>(stride);
            if (requests_of(own) == 0)
                found.idle += some.weight(*stratum);
            some.add(index, requests_of(own),
                     !worker.scheduler().spins().may_wait_unseen() &&
                         !(launch.races != nullptr && launch.races->in_step()));
            if (*stratum != Sample::always_counted)
                strata.add(*stratum, own);
        }
        found.add(worker, own_blocks, own_counted, seconds, strata);
    });
    note_progress(nullptr);
    for (const Sample::Stratum& stratum : some.strata())
        found.blocks_of_strata.push_back(stratum.blocks);
}

/// Executes and counts a launch, and fills in what of `record` is found out by that.
void run(KernelRun launch, LaunchRecord& record)
{
    const Dimensions& block = launch.configuration.block;
    const std::uint64_t blocks = block_count(launch.configuration);
    const unsigned threads = block.x * block.y * block.z;

    // Where the grid is large, the middle of it is like the rest; where it is small, all of it
    // runs.
    constexpr std::uint64_t few_warps = 4096;
    const bool large = blocks * ((threads + warp_lanes - 1) / warp_lanes) > few_warps;
    const Repeats before = launch.counted ? repeats_of(launch.configuration) : Repeats();
    // Many launches of a small kernel take no longer for it.
    constexpr std::uint64_t watched_launches = 16;
    const bool watching =
        detail() != Detail::sample && launch.log == nullptr && (before.watched < watched_launches);
    const bool uses_shared =
        launch.configuration.dynamic_shared_bytes > 0 ||
        !std::ranges::all_of(immortal<ProgramImage>().each_thread_variable(),
                             [](const ThreadVariable& variable) { return variable.engine; });
    LaunchRaces races(before.in_step, watching, blocks, uses_shared);
    if (launch.counted && (settings().watchful || settings().watches_races) &&
        host::fibers_suspend())
        launch.races = &races;
    std::atomic<std::size_t> budget = traced_size;
    if (launch.counted && detail() != Detail::counts) {
        // A log is of the first block, and of a sample no other is needed for it.
        const bool first_alone = detail() == Detail::sample && launch.log != nullptr;
        if (first_alone)
            budget = 1;
        launch.first_traced = large && !first_alone ? blocks / 2 : 0;
        launch.trace_budget = &budget;
        // What few blocks share is seen in several of them, of which parts tell enough.
        constexpr std::uint64_t few_blocks = 8;
        const bool few = 1 < blocks && blocks <= few_blocks;
        launch.traced_sectors = few ? traced_size / 2 / blocks : 4 * traced_size; // and steps
        launch.sampled = detail() == Detail::traffic && !access_policy && immortal<TraceSink>();
    }

    LaunchTotals found;
    if (launch.configuration.cooperative && blocks > 1)
        run_together(launch, blocks, found);
    else
        run_in_turn(launch, detail() == Detail::sample ? launch.first_traced : 0, blocks, found);

    if (!launch.counted)
        return;
    Repeats& repeats = repeats_of(launch.configuration);
    Counts& counts = found.counts;
    repeats.in_step |= races.in_step();
    repeats.must_count |= found.may_wait_unseen || races.in_step();
    repeats.last = records.size();
    ++repeats.launches;
    ++repeats.watched;
    repeats.requests += std::max(fewest_requests, requests_of(counts));
    constexpr double measurable = 20e-3; // seconds
    const std::uint64_t warps = found.counted * ((threads + warp_lanes - 1) / warp_lanes);
    const std::uint64_t stops =
        std::max(warps, requests_of(counts)) + counts.constant_requests + found.waits / warp_lanes;
    if (found.seconds > measurable)
        record.host_ns_per_request = 1e9 * found.seconds / static_cast<double>(stops);
    Counts extra = count_local_arrays(found.local_arrays);
    record.local_array = busiest_local_array(found.local_arrays);
    for (const PeerSectors& peer : found.peers) {
        extra.peer_load_sectors += peer.load;
        extra.peer_store_sectors += peer.store;
        extra.peer_atomic_sectors += peer.atomic;
    }
    std::vector<Touched> touched = arena().take_touched();
    extra.distinct_sectors = immortal<ProgramImage>().device_variables().take_touched().sectors;
    double factor = static_cast<double>(blocks) / static_cast<double>(found.counted);
    const bool others_ran = found.counted < found.blocks;
    if (others_ran) {
        const auto before_scaling = static_cast<double>(1 + requests_of(counts));
        found.scale_sample();
        factor = static_cast<double>(1 + requests_of(counts)) / before_scaling;
        scale(extra, factor);
        for (Touched& allocation : touched)
            scale_to_grid(allocation, factor);
        record.counted_blocks = found.counted;
        repeats.requests = std::max(repeats.requests, enough_requests);
    }
    counts += extra;
    for (const Touched& allocation : touched)
        counts.distinct_sectors += allocation.span.sectors;
    if (!others_ran && found.counted < blocks)
        scale(counts, factor);
    for (const auto& [allocation, span, written] : touched)
        if (allocation.kind == cudaMemoryTypeManaged && arena().contains(span.begin))
            note_unfinished(span.begin, span.end - span.begin, written,
                            name_of(launch.configuration));
    record.counts = counts;
    record_launch(launch.configuration, record, touched, found.host, found.peers);
    std::tie(record.heap_calls, record.heap_bytes) = arena().heap().take_asked();
    record.heap_limit = arena().heap().limit();
    record.idle_blocks = std::min<std::uint64_t>(found.idle, blocks);
    record.partial_barrier = found.partial_barrier.sentence;
    record.advice = found.advice;
    record.race = describe(races, launch.configuration);
    record.unwritten = describe(races.unwritten(), launch.configuration);
    record.static_shared_bytes =
        immortal<ProgramImage>().static_shared_bytes(launch.configuration.kernel);
    if (found.traces.empty() || access_policy || !immortal<TraceSink>())
        return;
    std::ranges::sort(found.traces, {}, &BlockTrace::block);
    drop_late(found.traces);
    LaunchTrace trace{.blocks = std::move(found.traces),
                      .threads = threads,
                      .shared_bytes = record.static_shared_bytes + record.dynamic_shared_bytes,
                      .grid_blocks = blocks};
    if (launch.sampled || launch.traced_sectors < traced_size)
        trace.requests = counts.load_requests + counts.store_requests + counts.atomic_requests;
    if (launch.sampled) {
        found.touches.reduce();
        trace.longest_requests = found.longest_requests;
        trace.touches = std::move(found.touches.touches());
        trace.one_in = found.touches.one_in();
    }
    record.traffic = immortal<TraceSink>()(trace);
}

/// A part of what a launch hands to each thread, copied: the alignment is that of a CUtensorMap.
struct alignas(64) ContextUnit
{
    std::byte bytes[64];
};

/// Executes a launch that need not be counted, unless that would change nothing. `counted`: of the
/// last one like it that was, its place in `records`.
void repeat_launch(const LaunchConfiguration& configuration, void (*body)(void*), void* context,
                   const std::string& identity, std::size_t counted)
{
    if (kernel_was_abandoned())
        return;
    Repetition again(identity);
    if (again.changes_nothing()) {
        ++records[counted].left_out;
        return;
    }
    const DeviceMemoryAccess access(false); // Repetition tells
    host::watch_for_faults();
    const StillRunning watch(configuration);
    LaunchRecord nothing_counted;
    again.begin();
    run({configuration, body, context, current_device(), false, settings().lane_order, nullptr},
        nothing_counted);
    again.end();
}

void count_launch(const LaunchConfiguration& configuration, void (*body)(void*), void* context,
                  const std::string& identity)
{
    const DeviceMemoryAccess access;
    host::watch_for_faults();
    const StillRunning watch(configuration);
    const Dimensions& grid = configuration.grid;
    const Dimensions& block = configuration.block;
    RequestLog log(configuration);
    LaunchRecord record{.kernel = configuration.kernel,
                        .grid = {grid.x, grid.y, grid.z},
                        .block = {block.x, block.y, block.z},
                        .dynamic_shared_bytes = configuration.dynamic_shared_bytes,
                        .launch = name_of(configuration),
                        .counts = {},
                        .signature = configuration.signature,
                        .numbers = numbers_of(configuration)};
    if (device_count() > 1)
        record.device = current_device();
    note_touches_of_host();
    run({configuration, body, context, current_device(), true, settings().lane_order,
         RequestLog::wanted() ? &log : nullptr},
        record);
    records.push_back(std::move(record));
    Repetition::note_run(identity);
    if (RequestLog::wanted())
        log.hand_out();
}

} // namespace

LaunchStatus launch(const LaunchConfiguration& configuration, void (*body)(void*), void* context)
{
    if (in_kernel()) {
        const Untraced untraced;
        fault(std::string("launches kernel ") + configuration.kernel +
              "; a kernel that launches kernels runs on a GPU only.");
    }
    if (const auto [text, status] = configuration_error(configuration); !text.empty()) {
        std::fprintf(stderr, "%s:%d: the launch of kernel %s %s\n", configuration.file,
                     configuration.line, configuration.kernel, text.c_str());
        return status;
    }
    const auto lock = one_launch();
    if (kernel_was_abandoned())
        return LaunchStatus::abandoned;
    const UnfinishedIsOpen open;
    const std::string identity = identity_of(configuration);
    if (is_repeat(configuration, identity)) {
        const std::size_t counted = repeats_of(configuration).last;
        ++records[counted].repeats;
        record_queued(
            {.kind = Operation::Kind::device_work,
             .bytes = records[counted].counts.distinct_sectors * Counts::sector_bytes,
             .label = configuration.kernel,
             .launched_at = to_string(SourceLine{configuration.file, configuration.line})});
        if (Repetition::has_run(identity) && !access_policy && may_defer()) {
            ++records[counted].deferred;
            std::vector<ContextUnit> copy(1 + configuration.context_bytes / sizeof(ContextUnit));
            std::memcpy(copy.data(), context, configuration.context_bytes);
            deferred([configuration, body, identity, counted, copy = std::move(copy)]() mutable {
                --records[counted].deferred;
                repeat_launch(configuration, body, copy.data(), identity, counted);
            });
            return LaunchStatus::ok;
        }
        run_deferred();
        repeat_launch(configuration, body, context, identity, counted);
    } else {
        run_deferred();
        count_launch(configuration, body, context, identity);
    }
    return kernel_was_abandoned() ? LaunchStatus::abandoned : LaunchStatus::ok;
}

const std::vector<LaunchRecord>& launches()
{
    return records;
}

void forget_launches()
{
    run_deferred();
    records.clear();
    forget_repeats();
}

void note_access_policy(bool in_force)
{
    access_policy = in_force;
}

void set_detail(Detail detail)
{
    current_detail = detail;
    // Nobody reads what a sample computes: there is nothing to protect.
    static std::optional<DeviceMemoryAccess> open_for_good;
    if (detail == Detail::sample)
        open_for_good.emplace();
    else
        open_for_good.reset();
}

void set_trace_sink(TraceSink sink)
{
    immortal<TraceSink>() = std::move(sink);
}

Detail detail()
{
    return current_detail;
}

} // namespace cpu_device
