/// \file
/// Goals about what the CPU device has counted and recorded.
#include "common/device/check.hpp"
#include "common/device/device.hpp"
#include "common/exercise/attempt.hpp"
#include "common/exercise/order.hpp"
#include "common/exercise/requests.hpp"
#include "common/text/format.hpp"
#include "common/text/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace common {

namespace {

/// Of the sum's rounding, when an average is compared with a limit.
constexpr double slack = 1e-9;
/// Elements of which each warp of a grid that is not made for n has many.
constexpr std::size_t enough_for_all = 1U << 16U;

double ratio(std::uint64_t value, std::uint64_t of)
{
    return of == 0 ? 0 : static_cast<double>(value) / static_cast<double>(of);
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

} // namespace

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
    counted_goal("enough_threads", "launches as many threads as needed", threads() >= count, "",
                 [&] {
                     return fmt::format("{} threads; {} are needed.", format_count(threads()),
                                        format_count(count));
                 });
}

void Attempt::threads_per_block(std::size_t count)
{
    const auto other =
        std::find_if(launches_.begin(), launches_.end(),
                     [&](const LaunchRecord& record) { return product(record.block) != count; });
    counted_goal("block", fmt::format("launches {} threads per block", count),
                 other == launches_.end(), "", [&] {
                     return fmt::format("kernel {} is launched with {} threads per block.",
                                        other->kernel, product(other->block));
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
        const double bytes = ratio(record.counts.load_bytes, warps(record)) / waits;
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

} // namespace common
