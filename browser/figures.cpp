// What the figures of the site ask: the requests of the first warp of a kernel, the counts of its
// whole grid, its modelled time, and the timeline of a pipeline.
#include "browser/launches.hpp"
#include "browser/values.hpp"

#include "common/model/cache_model.hpp"
#include "common/model/time_model.hpp"
#include "common/model/timeline.hpp"
#include "core/coalescer.hpp"
#include "core/request_trace.hpp"

#include <cpu_device/launches.hpp>

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>

namespace figures {

namespace {

using cpu_device::AddressSpace;
using cpu_device::BlockTrace;
using cpu_device::Counts;
using cpu_device::LaneAddresses;
using cpu_device::Request;
using cpu_device::warp_lanes;

/// A request of a warp, or a barrier that it waits at.
struct WarpStep
{
    std::uint32_t site = 0;
    unsigned visit = 0; ///< of the site, by these lanes
    unsigned bytes = 0; ///< 0: a barrier
    Access access = Access::load;
    bool shared = false;
    unsigned mask = 0;
    LaneAddresses addresses{};

    [[nodiscard]] Request request() const { return {addresses, mask, bytes}; }
};

/// Lanes join where they execute one instruction as often as the others: as the tracer of the CPU
/// device has it.
class Warp
{
  public:
    void add(unsigned lane, const std::vector<Noted>& accesses)
    {
        bool in_step = true; // so far this lane went the way of the first one
        for (std::size_t i = 0; i < accesses.size(); ++i) {
            std::size_t at = i;
            in_step = in_step && at < steps_.size() && steps_[at].site == accesses[i].site;
            if (!in_step) {
                const auto here = accesses.begin() + static_cast<std::ptrdiff_t>(i);
                const auto visit = std::count_if(accesses.begin(), here, [&](const Noted& other) {
                    return other.site == here->site;
                });
                at = find(*here, static_cast<unsigned>(visit));
            }
            steps_[at].mask |= 1u << lane;
            steps_[at].addresses[lane] = accesses[i].address;
        }
    }
    [[nodiscard]] const std::vector<WarpStep>& steps() const { return steps_; }

  private:
    std::size_t find(const Noted& access, unsigned visit)
    {
        for (std::size_t at = 0; at < steps_.size(); ++at)
            if (steps_[at].site == access.site && steps_[at].visit == visit)
                return at;
        steps_.push_back({access.site, visit, access.bytes, access.access, access.shared, 0, {}});
        return steps_.size() - 1;
    }

    std::vector<WarpStep> steps_;
};

/// The kernel that a reader has edited: for each thread, whose place comes first; then n or the
/// rows, and the offset or the columns.
#define IMPORT(name) extern "C" __attribute__((import_module("env"), import_name(#name)))
IMPORT(figures_edited)
void figures_edited(unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                    std::size_t, std::size_t);

/// What the settings launch: a chapter's kernel, or with edited=1 the edited one in its place.
Launch launch_of(const Settings& settings)
{
    Launch launch = make_launch(settings);
    if (settings.number("edited", 0) != 0) {
        const std::size_t size = settings.number("n", settings.number("rows", 0));
        const std::size_t more = settings.number("offset", settings.number("columns", 0));
        launch.kernel = [=] {
            figures_edited(threadIdx.x, threadIdx.y, blockIdx.x, blockIdx.y, blockDim.x, blockDim.y,
                           gridDim.x, gridDim.y, size, more);
        };
    }
    return launch;
}

/// The warps of one block.
std::vector<Warp> run_block(const Launch& launch, std::uint64_t block)
{
    gridDim = launch.grid;
    blockDim = launch.block;
    blockIdx = {static_cast<unsigned>(block % launch.grid.x),
                static_cast<unsigned>(block / launch.grid.x)};
    std::vector<Warp> warps((launch.threads() + warp_lanes - 1) / warp_lanes);
    for (unsigned thread = 0; thread < launch.threads(); ++thread) {
        threadIdx = {thread % blockDim.x, thread / blockDim.x};
        noted.clear();
        launch.kernel();
        warps[thread / warp_lanes].add(thread % warp_lanes, noted);
    }
    return warps;
}

void count(const WarpStep& step, Counts& counts)
{
    if (step.bytes == 0)
        return;
    const Request request = step.request();
    if (step.shared) {
        const unsigned conflicts = count_conflicts(request, step.access);
        const bool load = step.access == Access::load;
        ++(load ? counts.shared_load_requests : counts.shared_store_requests);
        (load ? counts.shared_load_conflicts : counts.shared_store_conflicts) += conflicts;
        return;
    }
    const unsigned sectors = count_sectors(request, [](std::uintptr_t, std::uintptr_t) {});
    const auto bytes = static_cast<std::uint64_t>(std::popcount(step.mask)) * step.bytes;
    const bool load = step.access == Access::load;
    ++(load ? counts.load_requests : counts.store_requests);
    (load ? counts.load_sectors : counts.store_sectors) += sectors;
    (load ? counts.load_bytes : counts.store_bytes) += bytes;
}

void trace(const WarpStep& step, std::size_t warp, BlockTrace& block)
{
    if (step.bytes == 0)
        return block.add(warp, cpu_device::Step::barrier);
    // Loops of these kernels are unrolled: each round has instructions of its own.
    const std::uint32_t site = step.site * 64 + step.visit;
    add_request(block, warp, site, step.shared ? AddressSpace::shared : AddressSpace::global,
                step.access, step.request());
}

/// As the CPU device traces: from the middle of a large grid, until there are so many steps and
/// sectors.
constexpr std::size_t traced_size = std::size_t{1} << 19;
constexpr std::uint64_t few_warps = 4096;

struct Sampled
{
    common::ModelledTime time;
    Counts counts; ///< scaled to the grid
};

Sampled model(const Launch& launch, const common::Card& card)
{
    const std::uint64_t blocks = launch.blocks();
    const unsigned warps = (launch.threads() + warp_lanes - 1) / warp_lanes;
    const std::uint64_t first = blocks * warps > few_warps ? blocks / 2 : 0;
    Sampled sampled;
    cpu_device::LaunchTrace traced{.blocks = {},
                                   .threads = launch.threads(),
                                   .shared_bytes = launch.shared_bytes,
                                   .grid_blocks = blocks};
    std::size_t size = 0;
    for (std::uint64_t block = first; block < blocks && size < traced_size; ++block) {
        BlockTrace& here = traced.blocks.emplace_back();
        here.block = block;
        here.warps.resize(warps);
        const std::vector<Warp> all = run_block(launch, block);
        for (std::size_t warp = 0; warp < all.size(); ++warp)
            for (const WarpStep& step : all[warp].steps()) {
                count(step, sampled.counts);
                trace(step, warp, here);
            }
        size += here.size();
    }
    const double scale = static_cast<double>(blocks) / static_cast<double>(traced.blocks.size());
    for (const cpu_device::Counter& counter : cpu_device::counters)
        sampled.counts.*counter.member = static_cast<std::uint64_t>(
            std::llround(scale * static_cast<double>(sampled.counts.*counter.member)));
    const cpu_device::LaunchRecord record{.kernel = "",
                                          .grid = {launch.grid.x, launch.grid.y, 1},
                                          .block = {launch.block.x, launch.block.y, 1},
                                          .counts = sampled.counts};
    sampled.time = predict(demand(record, simulate_caches(traced, card), card,
                                  cpu_device::assumed_registers, launch.shared_bytes),
                           card);
    return sampled;
}

// --- JSON ----------------------------------------------------------------------------------------

std::string text(std::uint64_t number)
{
    return std::to_string(number);
}

std::string text(double number)
{
    std::array<char, 32> digits{};
    std::snprintf(digits.data(), digits.size(), "%.9g", number);
    return digits.data();
}

/// `[1, null, ...]`, with nothing where a lane takes no part.
template<class Value>
std::string list(unsigned mask, Value value)
{
    std::string all = "[";
    for (unsigned lane = 0; lane < warp_lanes; ++lane)
        all += (lane == 0 ? "" : ",") + ((mask >> lane & 1) ? text(value(lane)) : "null");
    return all + "]";
}

std::string json(const WarpStep& step)
{
    const Request request = step.request();
    std::string all = "{\"line\":" + text(std::uint64_t{line_of(step.site)}) +
                      ",\"visit\":" + text(std::uint64_t{step.visit}) + ",\"access\":\"" +
                      (step.access == Access::load ? "load" : "store") + "\",\"space\":\"" +
                      (step.shared ? "shared" : "global") +
                      "\",\"bytes\":" + text(std::uint64_t{step.bytes});
    std::uintptr_t lowest = UINTPTR_MAX;
    for (unsigned lane = 0; lane < warp_lanes; ++lane)
        if (step.mask >> lane & 1)
            lowest = std::min(lowest, step.addresses[lane]);
    // Arrays begin at multiples of array_bytes.
    const std::uintptr_t base = step.shared ? 0 : lowest / array_bytes * array_bytes;
    all +=
        ",\"array\":" + text(std::uint64_t{base / array_bytes}) + ",\"offsets\":" +
        list(step.mask, [&](unsigned lane) { return std::uint64_t{step.addresses[lane] - base}; });
    if (step.shared) {
        const auto wavefronts = wavefronts_of(request, step.access);
        all += ",\"conflicts\":" + text(std::uint64_t{count_conflicts(request, step.access)}) +
               ",\"wavefronts\":[";
        for (const auto& wavefront : wavefronts) {
            unsigned used = 0;
            for (unsigned bank = 0; bank < warp_lanes; ++bank)
                used |= static_cast<unsigned>(wavefront[bank].has_value()) << bank;
            all += (all.back() == '[' ? "" : ",") +
                   list(used, [&](unsigned bank) { return std::uint64_t{*wavefront[bank]}; });
        }
        return all + "]}";
    }
    all += ",\"sectors\":[";
    count_sectors(request, [&](std::uintptr_t first, std::uintptr_t last) {
        for (; first <= last; ++first)
            all += (all.back() == '[' ? "" : ",") +
                   text(std::uint64_t{first - base / Counts::sector_bytes});
    });
    return all + "]}";
}

std::string json(const Counts& counts)
{
    std::string all = "{";
    for (const cpu_device::Counter& counter : cpu_device::counters)
        if (!counter.rare)
            all += (all.size() == 1 ? "\"" : ",\"") + std::string(counter.name) +
                   "\":" + text(counts.*counter.member);
    return all + "}";
}

std::string json(const common::ModelledTime& time)
{
    std::string all = "{\"ms\":" + text(time.ms) + ",\"limited_by\":\"" +
                      std::string(time.limited_by) + "\",\"bounds\":{";
    for (const common::Bound& bound : time.bounds)
        all +=
            (all.back() == '{' ? "\"" : ",\"") + std::string(bound.name) + "\":" + text(bound.ms);
    return all + "}}";
}

// --- what is asked -------------------------------------------------------------------------------

const common::Card& card_of(const Settings& settings)
{
    const common::Card* card = common::find_card(settings.word("card", "h200"));
    return card == nullptr ? common::cards().front() : *card;
}

/// The requests of the first warp of the first block, in order.
std::string requests(const Settings& settings)
{
    const Launch launch = launch_of(settings);
    if (launch.blocks() == 0)
        return R"({"requests":[],"blocks":0})";
    const std::vector<Warp> warps = run_block(launch, 0);
    std::string all = "{\"requests\":[";
    for (const WarpStep& step : warps.front().steps())
        if (step.bytes != 0)
            all += (all.back() == '[' ? "" : ",") + json(step);
    return all + "],\"blocks\":" + text(launch.blocks()) + "}";
}

/// The counts of every block of the grid.
std::string counts(const Settings& settings)
{
    const Launch launch = launch_of(settings);
    Counts all;
    for (std::uint64_t block = 0; block < launch.blocks(); ++block)
        for (const Warp& warp : run_block(launch, block)) {
            for (const WarpStep& step : warp.steps())
                count(step, all);
        }
    return json(all);
}

/// Its time on a GPU.
std::string time(const Settings& settings)
{
    const Launch launch = launch_of(settings);
    if (launch.blocks() == 0)
        return "null";
    const common::Card& card = card_of(settings);
    const Sampled sampled = model(launch, card);
    return "{\"counts\":" + json(sampled.counts) + ",\"time\":" + json(sampled.time) +
           ",\"gb_per_s\":" + text(launch.bytes / sampled.time.ms / 1e6) +
           ",\"peak\":" + text(card.peak()) + "}";
}

/// A grid that fills a GPU once and reads `bytes` of DRAM in rounds of as many loads as a thread
/// has in flight: chapter 22.
std::string in_flight(const Settings& settings)
{
    const common::Card& card = card_of(settings);
    const int threads = 256;
    const auto resident = static_cast<int>(settings.number("warps", 64) * 32 / threads);
    const auto a_block =
        static_cast<double>(threads * settings.number("loads", 1) * settings.number("width", 16));
    const double bytes = 1 << 30;
    common::Demand demand{.blocks = double(resident) * card.limits.multiprocessors,
                          .threads = threads,
                          .resident = double(resident)};
    const double rounds = bytes / a_block / demand.blocks;
    demand.wavefronts = bytes / cpu_device::line_bytes;
    demand.l2_read_sectors = bytes / Counts::sector_bytes;
    demand.l2_read_requests = bytes / cpu_device::line_bytes;
    demand.dram_bytes_read = bytes;
    demand.dram_phases = rounds;
    const common::ModelledTime time = predict(demand, card);
    return "{\"in_flight\":" + text(a_block * resident) + ",\"time\":" + json(time) +
           ",\"gb_per_s\":" + text(bytes / time.ms / 1e6) + ",\"peak\":" + text(card.peak()) + "}";
}

/// What chapter 04 asks of the runtime: chunk by chunk, in turn over the streams.
std::vector<cpu_device::Operation> pipeline_operations(std::uint64_t n, std::uint64_t chunks,
                                                       std::uint64_t streams, bool pinned)
{
    using cpu_device::Operation;
    using Kind = Operation::Kind;
    std::vector<Operation> operations;
    const auto pages = pinned ? Operation::Pages::pinned : Operation::Pages::pageable;
    const std::uint64_t chunk = (n + chunks - 1) / chunks;
    unsigned turn = 0;
    for (std::uint64_t first = 0; first < n; first += chunk) {
        const std::uint64_t bytes = 4 * std::min(chunk, n - first);
        const unsigned stream = 1 + turn++ % static_cast<unsigned>(streams);
        for (const Kind kind : {Kind::copy_in, Kind::copy_in, Kind::device_work, Kind::copy_out})
            operations.push_back({.kind = kind,
                                  .stream = stream,
                                  .bytes = kind == Kind::device_work ? 3 * bytes : bytes,
                                  .pages = pages});
    }
    for (unsigned stream = 1; stream <= streams; ++stream)
        operations.push_back({.kind = Kind::host_waits_for, .stream = stream});
    operations.push_back({.kind = Kind::host_waits_all}); // as whoever times it does
    return operations;
}

/// The timeline of that.
std::string pipeline(const Settings& settings)
{
    using cpu_device::Operation;
    const common::Card& card = card_of(settings);
    const std::uint64_t n = settings.number("n", 1 << 28);
    const std::uint64_t chunks = settings.number("chunks", 32);
    const std::uint64_t streams = settings.number("streams", 2);
    const bool pinned = settings.number("pinned", 1) != 0;
    const std::vector<Operation> operations = pipeline_operations(n, chunks, streams, pinned);
    const common::Timeline timeline = common::model(operations, card);
    std::string all = "{\"host_ms\":" + text(timeline.host_ms) + ",\"bars\":[";
    for (const common::Bar& bar : timeline.bars)
        all += std::string(all.back() == '[' ? "" : ",") + "{\"engine\":\"" + name(bar.engine) +
               "\",\"stream\":" + text(std::uint64_t{bar.stream}) +
               ",\"start\":" + text(bar.start_ms) + ",\"end\":" + text(bar.end_ms) + "}";
    return all + "]}";
}

/// Runs the grid with memory behind its arrays: a sum of what it computes, or its fault.
std::string run(const Settings& settings)
{
    const Outcome outcome = run_with_values(launch_of(settings));
    std::uint64_t hash = 0xcbf29ce484222325; // FNV-1a
    if (!outcome.arrays.empty())
        for (const std::byte byte : outcome.arrays.back())
            hash = (hash ^ static_cast<std::uint64_t>(byte)) * 0x100000001b3;
    return "{\"sum\":\"" + text(hash) + "\",\"line\":" + text(std::uint64_t{outcome.fault_line}) +
           ",\"fault\":\"" + outcome.fault + "\"}";
}

std::string cards(const Settings&)
{
    std::string all = "[";
    for (const common::Card& card : common::cards())
        all += std::string(all.back() == '[' ? "" : ",") + "{\"option\":\"" +
               std::string(card.option) + "\",\"name\":\"" + std::string(card.name) +
               "\",\"multiprocessors\":" +
               text(static_cast<std::uint64_t>(card.limits.multiprocessors)) + "}";
    return all + "]";
}

std::string answer;

} // namespace

} // namespace figures

// --- for JavaScript ------------------------------------------------------------------------------

#define EXPORT(name) extern "C" __attribute__((export_name(#name)))

/// Where an edited kernel's values pass through: as many bytes as the widest access moves.
EXPORT(passing) void* passing()
{
    alignas(16) static std::array<std::byte, 16> bytes;
    return bytes.data();
}

/// Room for the words of a question.
EXPORT(room) char* room(std::size_t bytes)
{
    static std::string text;
    text.assign(bytes, '\0');
    return text.data();
}

/// Answers `time kernel=add_striped threads=256 ...` with JSON.
EXPORT(ask) const char* ask(const char* words)
{
    using namespace figures;
    const Settings settings(words);
    const std::map<std::string, std::string (*)(const Settings&)> known = {
        {"requests", requests},
        {"counts", counts},
        {"time", figures::time},
        {"in_flight", in_flight},
        {"pipeline", pipeline},
        {"cards", figures::cards},
        {"run", run}};
    const auto found = known.find(settings.question());
    answer = found == known.end() ? "null" : found->second(settings);
    return answer.c_str();
}
