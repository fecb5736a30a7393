/// \file
/// What the figures of the site ask: the requests of the first warp of a kernel, the counts of its
/// grid and its modelled time, what it computes, and of the model alone bytes in flight and the
/// timeline of a pipeline. The kernels are a program of their own (figure.hpp), and the CPU device
/// runs them as it runs any.
#include "browser/exercises/host.hpp"
#include "browser/exercises/page.hpp"
#include "common/model/cache_model.hpp"
#include "common/model/time_model.hpp"
#include "common/timeline/timeline.hpp"
#include "common/trace/request_json.hpp"

#include <cpu_device/launches.hpp>
#include <cpu_device/operation.hpp>
#include <cpu_device/requests.hpp>
#include <cpu_device/trace.hpp>
#include <cuda_runtime.h>
#include <nlohmann/json.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Has the program launch what is chosen; returns the bytes that the task has to move.
IMPORT(launch) double page_launch();

namespace {

using cpu_device::Counts;
using cpu_device::Detail;
using cpu_device::warp_lanes;
using nlohmann::json;

json chosen; ///< the settings, by name

std::size_t number(const std::string& setting)
{
    const json& value = chosen[setting];
    return value.is_number() ? value.get<std::size_t>() : 0;
}

const common::Card& chosen_card()
{
    const common::Card* const card = common::find_card(chosen.value("card", ""));
    return card == nullptr ? common::cards().front() : *card;
}

// --- the arrays of a launch ----------------------------------------------------------------------

constexpr std::size_t arrays = 3;

/// Of a launch whose loads nobody looks at: addresses, with memory that nobody touches behind most
/// of them. They are made once, because the CPU device hands out no address again.
struct Untouched
{
    std::size_t bytes = std::size_t{page_suspends() ? 1056u : 1152u}
                        << 20; ///< each: three have room
    std::array<void*, arrays> memory{};

    bool allocate()
    {
        for (void*& array : memory)
            if (array == nullptr && cudaMalloc(&array, bytes) != cudaSuccess)
                return false;
        return true;
    }
    Untouched()
    {
        cpu_device::set_detail(Detail::sample); // which fills no memory, and has no limit
        while (!allocate() && bytes > 1)
            bytes /= 2;
    }
};

void* untouched_array(unsigned number, std::size_t bytes)
{
    static const Untouched all;
    if (bytes > all.bytes)
        page_thrown("this browser has no space for arrays of that size.");
    return all.memory[number];
}

/// The arrays of a launch that computes something, which end where they end.
std::vector<std::pair<float*, std::size_t>> filled;

void* filled_array(std::size_t bytes)
{
    void* array = nullptr;
    cpu_device::set_detail(Detail::sample); // next to the others, which are larger than a device
    if (cudaMalloc(&array, bytes) != cudaSuccess)
        page_thrown("this browser has no space for arrays of that size.");
    cpu_device::set_detail(Detail::counts);
    std::uint32_t random = static_cast<std::uint32_t>(filled.size()) + 1;
    filled.emplace_back(static_cast<float*>(array), bytes);
    for (std::size_t i = 0; i < bytes / sizeof(float); ++i) {
        random = random * 1664525 + 1013904223;
        filled.back().first[i] = static_cast<float>(random >> 16); // a whole number
    }
    return array;
}

bool computes = false; ///< filled, else untouched

/// Runs what is chosen; the launch that it made, and the bytes that its task moves.
std::pair<cpu_device::LaunchRecord, double> launch(Detail detail)
{
    cpu_device::forget_launches();
    cpu_device::set_detail(detail);
    const double bytes = page_launch();
    if (cpu_device::launches().empty())
        page_thrown("there is no such kernel.");
    return {cpu_device::launches().back(), bytes};
}

// --- JSON ----------------------------------------------------------------------------------------

json to_json(const Counts& counts)
{
    json all;
    for (const cpu_device::Counter& counter : cpu_device::counters)
        if (!counter.rare)
            all[std::string(counter.name)] = counts.*counter.member;
    return all;
}

json to_json(const common::ModelledTime& time)
{
    return {{"ms", time.ms}, {"limited_by", std::string(time.limited_by)}};
}

// --- what is asked -------------------------------------------------------------------------------

/// The requests of the first warp of the first block, in order, each with its line in the source
/// and the address that its offsets are counted from.
json requests()
{
    json all;
    cpu_device::set_trace_sink({});
    cpu_device::set_request_sink([&](const cpu_device::LaunchRequests& launch) {
        all = common::json_of(launch);
        for (std::size_t i = 0; i < launch.requests.size(); ++i) {
            const std::string line = cpu_device::line_of_site(launch.requests[i].instruction);
            all["requests"][i]["line"] =
                std::strtoul(line.c_str() + line.find(':') + 1, nullptr, 10);
            all["requests"][i]["begin"] = launch.requests[i].begin;
        }
    });
    launch(Detail::sample);
    cpu_device::set_request_sink({});
    return all;
}

/// The counts of every block of the grid.
json counts()
{
    return to_json(launch(Detail::counts).first.counts);
}

/// Its time on a GPU, with the counts of a sample of its blocks, scaled to the grid.
json time()
{
    const common::Card& card = chosen_card();
    cpu_device::set_trace_sink([&card](const cpu_device::LaunchTrace& trace) {
        return common::simulate_caches(trace, card);
    });
    const auto [record, bytes] = launch(Detail::sample);
    const common::ModelledTime time =
        predict(demand(record, record.traffic.value(), card, common::assumed_registers,
                       record.static_shared_bytes + record.dynamic_shared_bytes),
                card);
    return {{"counts", to_json(record.counts)},
            {"time", to_json(time)},
            {"gb_per_s", bytes / time.ms / 1e6},
            {"peak", card.peak()}};
}

/// A sum of what it computes of the same numbers each time.
json run()
{
    computes = true;
    launch(Detail::counts);
    computes = false;
    const auto [array, bytes] = filled.back();
    const std::string_view computed(reinterpret_cast<const char*>(array), bytes);
    const std::size_t hash = std::hash<std::string_view>()(computed);
    for (const auto& [old, size] : filled)
        cudaFree(old);
    filled.clear();
    return {{"sum", std::to_string(hash)}};
}

/// A grid that fills a GPU once and reads `bytes` of DRAM in rounds of as many loads as a thread
/// has in flight: chapter 22.
json in_flight()
{
    const common::Card& card = chosen_card();
    const int threads = 256;
    const auto resident = static_cast<int>(number("warps") * 32 / threads);
    const auto a_block = static_cast<double>(threads * number("loads") * number("width"));
    const double bytes = 1 << 30;
    common::Demand demand;
    demand.blocks = double(resident) * card.limits.multiprocessors;
    demand.threads = threads;
    demand.resident = resident;
    const double rounds = bytes / a_block / demand.blocks;
    demand.wavefronts = bytes / cpu_device::line_bytes;
    demand.l2_read_sectors = bytes / Counts::sector_bytes;
    demand.l2_read_requests = bytes / cpu_device::line_bytes;
    demand.dram_bytes_read = bytes;
    demand.dram_phases = rounds;
    const common::ModelledTime time = predict(demand, card);
    return {{"in_flight", a_block * resident},
            {"time", to_json(time)},
            {"gb_per_s", bytes / time.ms / 1e6},
            {"peak", card.peak()}};
}

/// The timeline of what chapter 04 asks of the runtime: chunk by chunk, in turn over the streams.
json pipeline()
{
    using cpu_device::Operation;
    using Kind = Operation::Kind;
    std::vector<Operation> operations;
    const auto pages =
        number("pinned") != 0 ? Operation::Pages::pinned : Operation::Pages::pageable;
    const std::uint64_t n = number("n"), chunk = (n + number("chunks") - 1) / number("chunks");
    const auto streams = static_cast<unsigned>(number("streams"));
    unsigned turn = 0;
    for (std::uint64_t first = 0; first < n; first += chunk, ++turn) {
        const std::uint64_t bytes = 4 * std::min(chunk, n - first);
        for (const Kind kind : {Kind::copy_in, Kind::copy_in, Kind::device_work, Kind::copy_out})
            operations.push_back({.kind = kind,
                                  .stream = 1 + turn % streams,
                                  .bytes = kind == Kind::device_work ? 3 * bytes : bytes,
                                  .pages = pages});
    }
    for (unsigned stream = 1; stream <= streams; ++stream)
        operations.push_back({.kind = Kind::host_waits_for, .stream = stream});
    operations.push_back({.kind = Kind::host_waits_all}); // as whoever times it does
    const common::Timeline timeline = common::model(operations, chosen_card());
    json bars = json::array();
    for (const common::Bar& bar : timeline.bars)
        bars.push_back({{"engine", name(bar.engine)},
                        {"stream", bar.stream},
                        {"start", bar.start_ms},
                        {"end", bar.end_ms}});
    return {{"host_ms", timeline.host_ms}, {"bars", bars}};
}

json cards()
{
    json all = json::array();
    for (const common::Card& card : common::cards())
        all.push_back({{"option", std::string(card.option)},
                       {"name", std::string(card.name)},
                       {"multiprocessors", card.limits.multiprocessors}});
    return all;
}

} // namespace

// --- for the program -----------------------------------------------------------------------------

EXPORT(figure_number) std::size_t figure_number(const char* setting)
{
    return number(setting);
}
EXPORT(figure_asks_for) bool figure_asks_for(const char* kernel)
{
    return chosen.value("kernel", "") == kernel;
}
EXPORT(figure_array) void* figure_array(unsigned number, std::size_t bytes)
{
    return computes ? filled_array(bytes) : untouched_array(number, bytes);
}

// --- for JavaScript ------------------------------------------------------------------------------

/// Answers what is asked in the room, {"question", "settings"}, with JSON.
EXPORT(ask) const char* ask()
{
    // Threads that wait for each other have stacks on the heap, which needs room as well.
    cpu_device::host::addresses_of_device =
        page_suspends() ? std::size_t{13} << 28 : std::size_t{7} << 29;
    static const std::map<std::string, json (*)()> known = {
        {"requests", requests},   {"counts", counts},     {"time", time},  {"run", run},
        {"in_flight", in_flight}, {"pipeline", pipeline}, {"cards", cards}};
    const json asked = json::parse(page::text);
    chosen = asked["settings"];
    const auto found = known.find(asked["question"]);
    page::text = found == known.end() ? "null" : found->second().dump();
    return page::text.c_str();
}
