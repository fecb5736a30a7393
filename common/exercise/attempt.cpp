#include "common/exercise/attempt.hpp"

#include "common/device/check.hpp"
#include "common/device/device.hpp"
#include "common/device/measure.hpp"
#include "common/exercise/order.hpp"
#include "common/exercise/requests.hpp"
#include "common/model/card.hpp"
#include "common/model/model_error.hpp"
#include "common/model/time_model.hpp"
#include "common/text/format.hpp"
#include "common/text/text_table.hpp"

#include <cpu_device/poison.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace common {

namespace {

/// Any order but the ascending one.
constexpr std::uint64_t shuffled_order = 7;
/// Of the sum's rounding, when an average is compared with a limit.
constexpr double slack = 1e-9;
constexpr double measured_seconds = 0.5;
/// Of past_32_bits(): the middle of a grid over so many elements is at number 2^32 + 2^15.
/// Where addresses have 32 bits, nobody requests them.
constexpr auto far_elements =
    static_cast<std::size_t>((std::uint64_t{1} << 33U) + (std::uint64_t{1} << 16U));
constexpr std::size_t far_middle = far_elements / 2;
/// Elements of which each warp of a grid that is not made for n has many.
constexpr std::size_t enough_for_all = 1U << 16U;

/// Sectors that no answer should leave to fewer blocks than some exercises need, nor to one lane of
/// each warp, whose requests are for 4 bytes, if not for wide ones.
constexpr std::uint64_t many_sectors = 1U << 14U;
constexpr std::uint64_t fewest_blocks = 4;
constexpr std::uint64_t fewest_bytes = 6;

const char* const needs_cpu_device = "counted on the CPU device only: --device cpu";
const char* const needs_gpu = "measured on a GPU only";

double ratio(std::uint64_t value, std::uint64_t of)
{
    return of == 0 ? 0 : static_cast<double>(value) / static_cast<double>(of);
}

std::uint64_t product(const std::array<unsigned, 3>& size)
{
    return std::uint64_t{size[0]} * size[1] * size[2];
}

bool crosses(const Operation& operation)
{
    return operation.kind == Operation::Kind::copy_in ||
           operation.kind == Operation::Kind::copy_out;
}

/// What is wrong, and where a strange number comes from.
std::string message_of(const Verdict& verdict)
{
    const std::string message = verdict.message();
    const std::string unwritten = fmt::format("{:#x}", cpu_device::poison);
    return message.find(unwritten) == std::string::npos
               ? message
               : fmt::format(
                     "{} ({} is what unwritten shared and newly allocated device memory hold "
                     "on the CPU device.)",
                     message, unwritten);
}

/// A count as a table of the chapters shows it.
std::string column_value(const cpu_device::Counts& counts, const std::string& column)
{
    if (column == "load_sectors_per_request")
        return fmt::format("{:.2f}", ratio(counts.load_sectors, counts.load_requests));
    if (column == "store_sectors_per_request")
        return fmt::format("{:.2f}", ratio(counts.store_sectors, counts.store_requests));
    const auto* const found =
        std::find_if(cpu_device::counters.begin(), cpu_device::counters.end(),
                     [&](const auto& counter) { return column == counter.name; });
    if (found == cpu_device::counters.end())
        throw std::invalid_argument(fmt::format("There is no count '{}'.", column));
    return format_count(counts.*found->member);
}

std::size_t free_memory()
{
    std::size_t available = 0;
    std::size_t total = 0;
    CHECK_CUDA(cudaMemGetInfo(&available, &total));
    return available;
}

} // namespace

Goal& Attempt::next(const std::string& name, const std::string& text)
{
    if (mode_ == Mode::list)
        goals_.push_back({name, text, Goal::State::unchecked, {}});
    return goals_.at(next_++);
}

bool Attempt::counted() const
{
    return mode_ != Mode::list && !sampled() && backend() == Backend::cpu;
}

std::string Attempt::when() const
{
    return fmt::format(
        "With n = {}{}: ", format_count(problem_ == nullptr ? n_ : problem_->size()),
        mode_ == Mode::shuffled ? " and the lanes in another order, as a GPU may run them" : "");
}

/// A goal missed in one attempt stays missed, with the evidence of that one.
void Attempt::settle(Goal& goal, bool held, const std::string& figure, const std::string& evidence)
{
    if (mode_ == Mode::list || sampled() || goal.state == Goal::State::missed)
        return;
    goal.state = held ? Goal::State::held : Goal::State::missed;
    goal.evidence = held ? figure : when() + evidence;
}

void Attempt::miss(Goal& goal, const std::string& evidence)
{
    settle(goal, false, "", evidence);
    throw Stop();
}

void Attempt::counted_goal(const std::string& name, const std::string& text, bool held,
                           const std::string& figure, const std::function<std::string()>& evidence)
{
    Goal& goal = next(name, text);
    if (mode_ == Mode::list || sampled() || goal.state == Goal::State::missed)
        return;
    if (backend() == Backend::gpu) {
        goal.state = Goal::State::elsewhere;
        goal.evidence = needs_cpu_device;
        return;
    }
    settle(goal, held, figure, held ? "" : evidence());
}

unsigned Attempt::needs_devices(unsigned most)
{
    set_device_count(static_cast<int>(most));
    int count = 0;
    CHECK_CUDA(cudaGetDeviceCount(&count));
    too_few_ = count < 2;
    devices_ = std::min(count, static_cast<int>(most));
    return std::max(2U, static_cast<unsigned>(devices_));
}

Verdict Attempt::launch(Problem& problem, const Solve& solve)
{
    problem.poison();
    const bool in_browser = sizeof(std::size_t) < sizeof(std::uint64_t);
    watch_races(mode_ == Mode::ascending && !in_browser);
    set_lane_order(mode_ == Mode::shuffled ? shuffled_order + seed_ : 0);
    begin_counting();
    const std::size_t available = free_memory();
    solve();
    kept_ = available - free_memory();
    operations_ = end_recording(); // those of the answer alone: it may not have waited
    check_launch("A call or a launch of the answer"); // the last of those that failed
    CHECK_CUDA(cudaGetDevice(&in_use_));
    for (int device = 0; device < devices_; ++device) {
        if (devices_ > 1)
            CHECK_CUDA(cudaSetDevice(device));
        if (const cudaError_t status = cudaDeviceSynchronize(); status != cudaSuccess)
            throw_cuda_error(status, "A kernel of the answer", "");
    }
    CHECK_CUDA(cudaSetDevice(0));
    launches_ = end_counting();
    counts_ = {};
    for (const LaunchRecord& record : launches_)
        counts_ += record.counts;
    set_lane_order(0);
    watch_races(false);
    return problem.verify();
}

void Attempt::run(Problem& problem, const Solve& solve)
{
    run(problem, solve, false);
}

void Attempt::run_transfer(Problem& problem, const Solve& solve)
{
    run(problem, solve, true);
}

void Attempt::run(Problem& problem, const Solve& solve, bool transfer)
{
    Goal& runs = next("runs", "runs to completion without a fault");
    Goal& kernels = next("kernels", transfer ? "does the work in a kernel"
                                             : "does all the work in kernels, on the device");
    Goal& right =
        next("right", "produces the correct output for every size, without out-of-bounds writes");
    Goal& order = next("order", "is correct in any execution order of the lanes");
    if (mode_ == Mode::list)
        return;
    if (too_few_) {
        for (Goal& goal : goals_) {
            goal.state = Goal::State::elsewhere;
            goal.evidence = "needs two GPUs, or --device cpu";
        }
        throw Stop();
    }
    problem_ = &problem;
    solve_ = solve;
    tell_(when(), mode_ == Mode::modelled ? "copy_share"
                                          : runs.name); // from here on with the size of the problem
    if (sampled())
        return run_sample();
    problem.allocate();
    Verdict verdict;
    try {
        verdict = launch(problem, solve);
    } catch (const CudaError& error) {
        miss(runs, error.what());
    }
    if (in_use_ != 0)
        miss(runs,
             fmt::format("device {} is current when the answer returns; it was device 0 before.",
                         in_use_));
    settle(runs, true, "", "");
    const bool cpu = backend() == Backend::cpu;
    const auto unpromised =
        std::find_if(launches_.begin(), launches_.end(), [](const LaunchRecord& launch) {
            return !launch.partial_barrier.empty() || !launch.advice.empty() ||
                   !launch.race.empty();
        });
    if (cpu && launches_.empty())
        miss(kernels, "no kernel was launched.");
    if (!verdict.ok)
        miss(mode_ == Mode::shuffled ? order : right, message_of(verdict));
    if (unpromised != launches_.end())
        miss(order, !unpromised->advice.empty()            ? unpromised->advice
                    : !unpromised->partial_barrier.empty() ? unpromised->partial_barrier
                                                           : unpromised->race);
    if (!cpu) {
        for (Goal* goal : {&kernels, &order}) {
            goal->state = Goal::State::elsewhere;
            goal->evidence = needs_cpu_device;
        }
        settle(right, true, "", "");
        return;
    }
    if (!transfer && std::any_of(operations_.begin(), operations_.end(), crosses))
        miss(kernels, "data was copied between host and device; the arrays are already on the "
                      "device, and the work is to be done there.");
    // What a copy has brought, a kernel may change where it is.
    const std::uint64_t bytes = transfer ? problem.bytes() / 2 : problem.bytes();
    const std::uint64_t least = (bytes + cpu_device::Counts::sector_bytes - 1) / 32;
    if (counts_.distinct_sectors < least)
        miss(kernels,
             fmt::format("the kernels touched {} sectors, but the arrays span at least {}: an "
                         "input was not read, or something else produced the output.",
                         format_count(counts_.distinct_sectors), format_count(least)));
    std::uint64_t crossed = 0; // the link
    for (const Operation& operation : operations_)
        crossed += crosses(operation) ? operation.bytes
                                      : operation.link_in_bytes + operation.link_out_bytes;
    if (transfer && problem.crosses_link() && crossed < problem.bytes())
        miss(kernels,
             fmt::format("only {} of {} bytes crossed the link: the host produced the output.",
                         format_count(crossed), format_count(problem.bytes())));
    std::uint64_t blocks = 0; // of the largest grid
    for (const LaunchRecord& record : launches_)
        blocks = std::max(blocks, product(record.grid));
    if (blocks < fewest_blocks && counts_.distinct_sectors >= many_sectors)
        miss(kernels,
             fmt::format("the largest grid has {} block{}, so that all other SMs are idle.", blocks,
                         blocks == 1 ? "" : "s"));
    const std::uint64_t requests = counts_.load_requests + counts_.store_requests;
    if (counts_.distinct_sectors >= many_sectors &&
        counts_.bytes_requested() < fewest_bytes * requests)
        miss(kernels, fmt::format("a request is for {:.1f} bytes on average: most lanes are idle.",
                                  ratio(counts_.bytes_requested(), requests)));
    settle(kernels, true, "", "");
    settle(mode_ == Mode::shuffled ? order : right, true, "", "");
}

void Attempt::run_sample()
{
    try {
        problem_->allocate();
        if (mode_ == Mode::far)
            return;
        begin_counting();
        solve_();
        CHECK_CUDA(cudaDeviceSynchronize());
        static_cast<void>(end_recording());
        launches_ = end_counting();
    } catch (const CudaError&) { // no space for arrays of that size, say
        throw Stop();
    }
}

void Attempt::launches(std::size_t count)
{
    const auto text = [](std::size_t number) {
        return fmt::format("{} kernel launch{}", number, number == 1 ? "" : "es");
    };
    std::vector<std::string> names;
    for (const LaunchRecord& record : launches_)
        names.push_back(record.kernel);
    counted_goal("launches", "uses " + text(count), launches_.size() == count, "", [&] {
        if (names.size() > 8) {
            names.resize(8);
            names.emplace_back("...");
        }
        return fmt::format("{}: {}.", text(launches_.size()), fmt::join(names, ", "));
    });
}

void Attempt::at_most(const std::string& name, const std::string& text, const std::string& unit,
                      std::uint64_t value, std::uint64_t most)
{
    // The limit depends on n, so it stands in the evidence and not in the goal.
    counted_goal(name, text, value <= most, fmt::format("{} {}", format_count(value), unit), [&] {
        return fmt::format("{} {}; {} are enough.", format_count(value), unit, format_count(most));
    });
}

std::uint64_t Attempt::threads() const
{
    std::uint64_t threads = 0;
    for (const LaunchRecord& record : launches_)
        threads += product(record.grid) * product(record.block);
    return threads;
}

void Attempt::threads_at_most(std::size_t needed)
{
    std::uint64_t block = 1; // the largest
    for (const LaunchRecord& record : launches_)
        block = std::max(block, product(record.block));
    const std::uint64_t whole = (needed + block - 1) / block * block;
    counted_goal("threads", "launches no more threads than needed", threads() <= whole + block,
                 format_count(threads()) + " threads", [&] {
                     return fmt::format("{} threads; {} are enough.", format_count(threads()),
                                        format_count(whole));
                 });
}

void Attempt::threads_at_least(std::size_t count)
{
    counted_goal("enough_threads", "launches a thread for each element", threads() >= count, "",
                 [&] { return fmt::format("{} threads.", format_count(threads())); });
}

void Attempt::threads_per_block(std::size_t count)
{
    const auto threads = [](const LaunchRecord& record) {
        return std::size_t{record.block[0]} * record.block[1] * record.block[2];
    };
    const auto other =
        std::find_if(launches_.begin(), launches_.end(),
                     [&](const LaunchRecord& record) { return threads(record) != count; });
    counted_goal("block", fmt::format("launches {} threads per block", count),
                 other == launches_.end(), "", [&] {
                     return fmt::format("kernel {} is launched with {} threads per block.",
                                        other->kernel, threads(*other));
                 });
}

void Attempt::loads_at_most(std::uint64_t bytes)
{
    at_most("loads", "loads no more bytes than needed", "bytes", counts_.load_bytes, bytes);
}

void Attempt::stores_at_most(std::uint64_t bytes)
{
    at_most("stores", "stores no more bytes than needed", "bytes", counts_.store_bytes, bytes);
}

void Attempt::load_requests_at_most(std::uint64_t most)
{
    at_most("load_requests", "makes few load requests", "requests", counts_.load_requests, most);
}

void Attempt::store_requests_at_most(std::uint64_t most)
{
    at_most("store_requests", "makes few store requests", "requests", counts_.store_requests, most);
}

void Attempt::link_bytes_at_most(std::uint64_t most)
{
    at_most("link", "sends few bytes over the link", "bytes", counts_.peer_bytes(), most);
}

void Attempt::frees_memory()
{
    counted_goal("freed", "frees the memory that it allocates", kept_ == 0,
                 fmt::format("{} bytes of device memory are still allocated.", kept_));
}

void Attempt::copies_from_pinned()
{
    std::uint64_t pageable = 0;
    for (const Operation& operation : operations_)
        if (operation.pages == Operation::Pages::pageable)
            pageable += operation.bytes;
    counted_goal("pinned", "copies from pinned (page-locked) memory", pageable == 0,
                 fmt::format("{} bytes were copied from pageable memory.", pageable));
}

void Attempt::host_never_waits()
{
    using Kind = Operation::Kind;
    const bool waits =
        std::any_of(operations_.begin(), operations_.end(), [](const Operation& operation) {
            return !operation.query &&
                   (operation.kind == Kind::host_waits || operation.kind == Kind::host_waits_for ||
                    operation.kind == Kind::host_waits_all);
        });
    counted_goal("host", "never makes the host wait", !waits,
                 "the host waits for a stream, an event or a device.");
}

void Attempt::bytes_in_flight(std::uint64_t least)
{
    const bool asked = counted() && mode_ == Mode::ascending && n_ >= enough_for_all;
    double fewest = static_cast<double>(least);
    std::string kernel;
    for (const LaunchRecord& record : asked ? looked_at_closely() : std::vector<LaunchRecord>()) {
        const auto& traffic = record.traffic.value();
        const double waits = traffic.dram_phases + traffic.l2_phases; // not for shared memory
        const auto blocks = std::uint64_t{record.grid[0]} * record.grid[1] * record.grid[2];
        const auto warps = (record.block[0] * record.block[1] * record.block[2] + 31) / 32 * blocks;
        const double bytes =
            static_cast<double>(record.counts.load_bytes) / static_cast<double>(warps) / waits;
        if (waits > 0 && bytes < fewest) {
            fewest = bytes;
            kernel = record.kernel;
        }
    }
    counted_goal("in_flight", fmt::format("keeps {} bytes in flight per warp", format_count(least)),
                 fewest >= 0.9 * static_cast<double>(least), "", [&] {
                     return fmt::format("a warp of kernel {} loads {:.0f} bytes and waits for them "
                                        "before it loads more.",
                                        kernel, fewest);
                 });
}

std::vector<LaunchRecord> Attempt::looked_at_closely()
{
    problem_->poison();
    simulate_caches(true);
    begin_counting();
    solve_();
    static_cast<void>(end_recording());
    CHECK_CUDA(cudaDeviceSynchronize());
    simulate_caches(false);
    return end_counting();
}

void Attempt::shared_loads_at_most(std::uint64_t most)
{
    at_most("shared_loads", "makes few load requests to shared memory", "requests",
            counts_.shared_load_requests, most);
}

void Attempt::sectors(bool load, double most)
{
    const char* const access = load ? "load" : "store";
    const double mean = load ? ratio(counts_.load_sectors, counts_.load_requests)
                             : ratio(counts_.store_sectors, counts_.store_requests);
    counted_goal(fmt::format("{}_sectors", access),
                 fmt::format("touches at most {:.3g} sectors per {}", most, access),
                 mean <= most + slack, fmt::format("{:.2f}", mean), [&] {
                     return fmt::format("{:.2f} sectors per {}. {}", mean, access,
                                        worst_request({.load = load}, most));
                 });
}

void Attempt::sectors_per_load(double most)
{
    sectors(true, most);
}

void Attempt::sectors_per_store(double most)
{
    sectors(false, most);
}

void Attempt::no_bank_conflicts()
{
    const std::uint64_t conflicts = counts_.shared_load_conflicts + counts_.shared_store_conflicts +
                                    counts_.shared_atomic_conflicts;
    counted_goal("conflicts", "has no bank conflicts", conflicts == 0, "", [&] {
        const std::string more =
            fmt::format("{} wavefronts more than shared-memory requests without conflicts need",
                        format_count(conflicts));
        if (counts_.shared_atomic_conflicts == conflicts)
            return more + ", all of them for atomics.";
        return fmt::format(
            "{}. {}", more,
            worst_request({.shared = true,
                           .load = counts_.shared_load_conflicts >= counts_.shared_store_conflicts},
                          0));
    });
}

void Attempt::keeps_arrays_in_registers()
{
    counted_goal("local", "keeps its array in registers", counts_.local_load_requests == 0, "",
                 [&] {
                     return fmt::format(
                         "{} load requests to local memory, {} sectors in all. An index of the "
                         "array is known only at run time.",
                         format_count(counts_.local_load_requests),
                         format_count(counts_.local_load_sectors));
                 });
}

std::string Attempt::worst_request(RequestKind kind, double limit)
{
    problem_->poison();
    return describe_worst_request(solve_, kind, limit);
}

void Attempt::waits()
{
    std::string late = counted() ? left_undone(operations_) : "";
    counted_goal("waits", "waits for all queued work before it returns", late.empty(), "",
                 [&] { return late; });
}

void Attempt::host_waits()
{
    std::string early = counted() ? touched_too_early(operations_) : "";
    counted_goal("host", "lets the host access data only after queued work on it has finished",
                 early.empty(), "", [&] { return early; });
}

void Attempt::ordered(std::size_t pieces)
{
    std::string wrong = counted() ? out_of_order(operations_, pieces) : "";
    counted_goal("ordered", "runs no copy or kernel before its input is ready", wrong.empty(), "",
                 [&] { return wrong; });
}

void Attempt::overlaps(std::size_t pieces)
{
    std::string apart = counted() ? kept_apart(operations_, pieces) : "";
    counted_goal("overlaps", "overlaps the copies of each piece with the work on the previous one",
                 apart.empty(), "", [&] { return apart; });
}

void Attempt::kernels_are_independent()
{
    std::string waits = counted() ? waits_for_kernel(operations_) : "";
    counted_goal("independent", "waits for no kernel of another device", waits.empty(), "",
                 [&] { return waits; });
}

void Attempt::share_of_copy(double least)
{
    Goal& goal =
        next("copy_share", fmt::format("reaches {:.0f} % of the bandwidth of a copy", 100 * least));
    if (mode_ == Mode::list)
        return;
    if (mode_ == Mode::modelled)
        return share_of_modelled_copy(goal, least);
    if (mode_ == Mode::far)
        return;
    if (backend() == Backend::cpu) {
        goal.state = Goal::State::elsewhere;
        goal.evidence = needs_gpu;
        return;
    }
    if (mode_ != Mode::measured)
        return; // one of the other attempts will be
    const double other = copy_ceiling({.max_seconds = measured_seconds});
    const double gb = static_cast<double>(problem_->bytes()) /
                      (measure_launch([this](cudaStream_t) { solve_(); }, nullptr, Cache::cold,
                                      {.max_seconds = measured_seconds})
                           .median *
                       1e6);
    const std::string figure =
        fmt::format("{:.0f} GB/s, {:.0f} % of {:.0f}", gb, 100 * gb / other, other);
    settle(goal, gb >= least * other, figure, figure + ".");
    if (const Verdict verdict = problem_->verify(); !verdict.ok)
        miss(goal, "after the timed launches: " + verdict.message());
}

void Attempt::share_of_modelled_copy(Goal& goal, double least)
{
    if (launches_.empty()) {
        goal.state = Goal::State::missed;
        goal.evidence = when() + "no kernel could be launched.";
        return;
    }
    const Card& card = cards().front();
    const auto bytes = static_cast<double>(problem_->bytes());
    double ms = 0;
    double longest = 0;
    std::string_view limit;
    for (const LaunchRecord& record : launches_) {
        if (!record.traffic)
            return;
        const std::size_t shared = record.static_shared_bytes + record.dynamic_shared_bytes;
        const ModelledTime time =
            predict(demand(record, *record.traffic, card, assumed_registers, shared), card);
        ms += time.ms;
        if (time.ms > longest)
            limit = time.limited_by;
        longest = std::max(longest, time.ms);
    }
    // As many bytes, half of them read and half written, by somebody who waits for DRAM alone.
    Demand copy;
    copy.blocks = 1;
    copy.dram_bytes_read = copy.dram_bytes_written = bytes / 2;
    const double share = predict(copy, card).ms / ms;
    // An exercise is a chapter's kernel with a change.
    const double range = model_error(Kernels::book).ninth_decile - 1;
    const std::string figure =
        fmt::format("modelled, not measured: {:.0f} %, {:.0f} GB/s on {}, error {:.1f} %",
                    100 * share, bytes / (ms * 1e6), card.name, 100 * range);
    goal.state = share * (1 + range) >= least ? Goal::State::held : Goal::State::missed;
    goal.evidence = figure;
    if (goal.state == Goal::State::missed)
        goal.evidence = fmt::format("{}{}. Limited by {}.", when(), figure, limit);
}

void Attempt::settle_by_sample(Goal& goal, const std::string& not_told, const std::string& now,
                               const Solve& call)
{
    if (mode_ == Mode::list || mode_ == Mode::modelled || goal.state == Goal::State::missed)
        return;
    if (mode_ != Mode::far) {
        goal.state = not_told.empty() ? Goal::State::unchecked : Goal::State::elsewhere;
        goal.evidence = not_told;
        return;
    }
    if (goal.state == Goal::State::elsewhere)
        return;
    tell_(now, goal.name); // a fault ends this process
    call();
    check_launch("A launch of the answer");
    CHECK_CUDA(cudaDeviceSynchronize());
    goal.state = Goal::State::held;
}

void Attempt::past_32_bits(const Shifted& solve)
{
    const std::string now =
        fmt::format("With n = {}, of which only the blocks in the middle ran (their indices exceed "
                    "4,294,967,295, where a 32-bit index wraps around to 0): ",
                    format_count(far_elements));
    settle_by_sample(next("far", "computes correct indices beyond 2^32"),
                     !counted()            ? needs_cpu_device
                     : threads() < n_ / 32 ? "checked only if the grid grows with n"
                                           : "",
                     now, [&] {
                         // As many elements before the middle as behind it.
                         solve(far_elements, far_middle - n_ / 2);
                     });
}

void Attempt::takes(const std::string& name, const std::string& shape, const Solve& solve)
{
    settle_by_sample(next(name, "handles " + shape), counted() ? "" : needs_cpu_device,
                     "With " + shape + ": ", solve);
}

void Attempt::rows(Problem& problem, const std::vector<std::string>& columns,
                   const std::vector<Candidate>& candidates, const std::string& figures)
{
    Goal& runs = next("runs", "runs to completion without a fault");
    settle(runs, true, "", "");
    if (counted()) {
        problem.allocate();
        std::vector<TextTable::Column> headings = {{.heading = {"row"}, .left = true}};
        for (const std::string& column : columns) {
            std::string heading = column;
            std::replace(heading.begin(), heading.end(), '_', ' ');
            headings.push_back({.heading = {heading}});
        }
        if (!figures.empty())
            headings.push_back({.heading = {figures}});
        std::vector<std::vector<std::string>> cells;
        for (const Candidate& candidate : candidates) {
            static_cast<void>(launch(problem, candidate.launch));
            cells.push_back({std::string(1, candidate.row)});
            for (const std::string& column : columns)
                cells.back().push_back(column_value(counts_, column));
            if (!figures.empty())
                cells.back().push_back(candidate.figure);
        }
        std::sort(cells.begin(), cells.end());
        TextTable table(std::move(headings), 3);
        for (auto& row : cells)
            table.add(std::move(row));
        shown_ = table.text();
    }
    Goal& answers = next("answers", "names the row of each kernel");
    if (counted())
        tell_(when(), answers.name); // where Stop ends all, the table is known
    if (mode_ == Mode::list)
        return;
    const auto count = [&](const auto& which) {
        return std::count_if(candidates.begin(), candidates.end(), which);
    };
    const auto open = count([](const Candidate& each) { return each.answer == '?'; });
    const auto wrong = count([](const Candidate& each) { return each.answer != each.row; });
    answers.state = wrong == 0 ? Goal::State::held : Goal::State::missed;
    if (open > 0)
        answers.evidence = fmt::format("Unanswered: {} of {}.", open, candidates.size());
    else if (wrong > 0)
        answers.evidence = fmt::format("Wrong: {} of {}.", wrong, candidates.size());
    throw Stop(); // other sizes and orders have nothing to add
}

void Attempt::goal(const std::string& name, const std::string& text, bool held,
                   const std::string& evidence)
{
    settle(next(name, text), held, "", evidence);
}

void Attempt::counted_goal(const std::string& name, const std::string& text, bool held,
                           const std::string& evidence)
{
    counted_goal(name, text, held, "", [&] { return evidence; });
}

} // namespace common
