/// \file
/// Linked into a reader's own program, which knows nothing of this project: prints what its
/// kernels moved when it ends, and writes it to the file that MOVING_BYTES_JSON names.
/// MOVING_BYTES_SEED shuffles the order of its warps and lanes.
#include "common/device/device.hpp"
#include "common/device/setting.hpp"
#include "common/model/card.hpp"
#include "common/model/model_error.hpp"
#include "common/model/time_model.hpp"
#include "common/report/json.hpp"
#include "common/text/atomic_file.hpp"
#include "common/text/format.hpp"
#include "common/text/terminal.hpp"
#include "common/text/text_table.hpp"

#include <cpu_device/launches.hpp>
#include <cpu_device/settings.hpp>
#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace {

constexpr std::size_t most_rows = 40;    ///< a longer table is no help
constexpr std::size_t name_columns = 32; ///< of a kernel
constexpr int bad_usage = 2;             ///< exit status, also where the report cannot be written

/// Launches of one kernel with one grid and one block that count alike.
struct Shape
{
    common::LaunchRecord total;
    common::Counts first;       ///< of the first of them
    std::uint64_t launches = 1; ///< counted
    std::uint64_t uncounted = 0;
    /// Of those of them that were modelled, with cold caches.
    std::uint64_t modelled = 0;
    double ms = 0;    ///< of all of these
    double bytes = 0; ///< that move at least, likewise
    std::string_view limited_by = {};
    double limiting_ms = 0; ///< of the one that this is said of, the longest
    bool computes = false;  ///< for long between its accesses, which no model knows
    bool mixed = false;     ///< its launches do not count alike

    /// True of a launch of the same kernel with the same configuration.
    [[nodiscard]] bool covers(const common::LaunchRecord& launch) const
    {
        return launch.kernel == total.kernel && launch.device == total.device &&
               !is_namesake(launch) && launch.grid == total.grid && launch.block == total.block &&
               launch.dynamic_shared_bytes == total.dynamic_shared_bytes;
    }

    /// True of another kernel of the same name: an overload, or a template with another lambda.
    [[nodiscard]] bool is_namesake(const common::LaunchRecord& launch) const
    {
        const std::string_view known[] = {launch.signature, total.signature};
        return launch.kernel == total.kernel && known[0] != known[1] && !known[0].empty() &&
               !known[1].empty();
    }

    void add(const Shape& other)
    {
        total.counts += other.total.counts;
        total.shared_atomic_requests += other.total.shared_atomic_requests;
        total.link_in_bytes += other.total.link_in_bytes;
        total.link_out_bytes += other.total.link_out_bytes;
        launches += other.launches;
        uncounted += other.uncounted;
        modelled += other.modelled;
        ms += other.ms;
        bytes += other.bytes;
        computes = computes || other.computes;
        if (other.limiting_ms > limiting_ms) {
            limited_by = other.limited_by;
            limiting_ms = other.limiting_ms;
        }
    }
};

/// True if no count of two launches differs by more than a tenth.
bool alike(const common::Counts& one, const common::Counts& other)
{
    return std::ranges::all_of(cpu_device::counters, [&](const cpu_device::Counter& counter) {
        const auto [least, most] = std::minmax(one.*counter.member, other.*counter.member);
        return most - least <= most / 10 || counter.member == &common::Counts::divergent_warps;
    });
}

/// The card that times are modelled for: what MOVING_BYTES_CARD says, or the default; null if that
/// says "none". Ends the program if there is no such card.
const common::Card* modelled_card()
{
    static const common::Card* const card = [] {
        const char* asked = std::getenv("MOVING_BYTES_CARD");
        const std::string option = asked == nullptr ? common::card_options().front() : asked;
        const common::Card* found = common::find_card(option);
        if (option != "none" && found == nullptr)
            common::end_program(bad_usage, common::unknown_card(option));
        return found;
    }();
    return card;
}

/// The registers that nvcc gives a thread of the kernel, at most; 0 where it has not compiled it.
/// compile_cuda leaves "24 void scale<int>(int*)" beside the program.
int registers_of(const std::string& kernel)
{
    static const std::vector<std::pair<int, std::string>> known = [] {
        std::vector<std::pair<int, std::string>> found;
        std::error_code none;
        const auto program = std::filesystem::read_symlink("/proc/self/exe", none);
        std::ifstream list(program.string() + ".registers");
        int registers = 0;
        for (std::string name; list >> registers && std::getline(list >> std::ws, name);)
            found.emplace_back(registers, name.starts_with("void ") ? name.substr(5) : name);
        return found;
    }();
    int most = 0; // of overloads, and of what a template became
    for (const auto& [registers, name] : known)
        if (name == kernel || name.starts_with(kernel + "(") || name.starts_with(kernel + "<"))
            most = std::max(most, registers);
    return most;
}

/// The time of a launch on the card, if the caches were simulated.
std::optional<common::ModelledTime> model(const common::LaunchRecord& launch)
{
    const common::Card* card = modelled_card();
    if (card == nullptr || !launch.traffic || !common::untimed(*launch.traffic).empty())
        return {};
    const int registers = registers_of(launch.kernel);
    common::ModelledTime time =
        predict(demand(launch, *launch.traffic, *card,
                       registers > 0 ? registers : common::assumed_registers,
                       launch.static_shared_bytes + launch.dynamic_shared_bytes),
                *card);
    // The model is about the memory of a card; what a kernel reads or writes of the host's comes
    // over the link, both ways at once.
    const double link_ms =
        std::max(static_cast<double>(launch.link_in_bytes) / (card->link_in_gb_per_s * 1e6),
                 static_cast<double>(launch.link_out_bytes) / (card->link_out_gb_per_s * 1e6));
    if (link_ms > 0)
        time.bounds.push_back({.name = "host", .ms = link_ms});
    if (link_ms > time.ms) {
        time.ms = link_ms;
        time.limited_by = "host";
    }
    return time;
}

/// Bytes that must move, at least: every sector that each launch touches, once.
double dram_bytes(const common::LaunchRecord& launch)
{
    return static_cast<double>(launch.counts.distinct_sectors * common::Counts::sector_bytes);
}

Shape shape_of(const common::LaunchRecord& launch)
{
    Shape shape{.total = launch, .first = launch.counts, .uncounted = launch.repeats};
    // A request costs some hundreds of nanoseconds on any host; what costs fifty times as much is
    // what the kernel computes.
    constexpr double long_time = 20'000;
    shape.computes = launch.host_ns_a_request > long_time;
    if (const auto time = model(launch)) {
        shape.modelled = 1;
        shape.ms = shape.limiting_ms = time->ms;
        shape.bytes = dram_bytes(launch);
        shape.limited_by = time->limited_by;
    }
    return shape;
}

/// In the order of each shape's first launch. A kernel whose launches differ more often than a
/// table can show has one row for all of them.
std::vector<Shape> shapes_of(const std::vector<common::LaunchRecord>& launches)
{
    constexpr std::ptrdiff_t most_of_a_kernel = 4;
    std::vector<Shape> shapes;
    for (const common::LaunchRecord& launch : launches) {
        const Shape next = shape_of(launch);
        const auto covers = [&](const Shape& shape) { return shape.covers(launch); };
        const auto same = std::ranges::find_if(shapes, [&](const Shape& shape) {
            return covers(shape) && (shape.mixed || alike(shape.first, launch.counts));
        });
        if (same != shapes.end()) {
            same->add(next);
            continue;
        }
        const auto first = std::ranges::find_if(shapes, covers);
        if (std::ranges::count_if(shapes, covers) < most_of_a_kernel) {
            shapes.push_back(next);
            continue;
        }
        first->add(next);
        first->mixed = true;
        for (auto other = first + 1; other != shapes.end();)
            if (covers(*other)) {
                first->add(*other);
                other = shapes.erase(other);
            } else {
                ++other;
            }
    }
    return shapes;
}

std::string extent(const std::array<unsigned, 3>& size)
{
    std::string text = std::to_string(size[0]);
    if (size[1] != 1 || size[2] != 1)
        text += "x" + std::to_string(size[1]);
    if (size[2] != 1)
        text += "x" + std::to_string(size[2]);
    return text;
}

/// "4.00", or "-" where there was no request.
std::string sectors_a_request(std::uint64_t sectors, std::uint64_t requests)
{
    return requests == 0 ? "-"
                         : fmt::format("{:.2f}", static_cast<double>(sectors) /
                                                     static_cast<double>(requests));
}

std::string percent(double efficiency, std::uint64_t requests)
{
    return requests == 0 ? "-" : fmt::format("{:.3g} %", 100 * efficiency);
}

using common::TextTable;

/// The kernel as the program calls it; with its parameters where that is not enough.
std::string name_of(const Shape& shape, const std::vector<Shape>& shapes)
{
    const bool has_namesake = std::any_of(shapes.begin(), shapes.end(), [&](const Shape& other) {
        return shape.is_namesake(other.total);
    });
    constexpr std::size_t heading_columns = 20; // beside the name where rows are stacked
    return has_namesake
               ? common::shorten(shape.total.signature,
                                 std::max(common::output_width(), name_columns + heading_columns) -
                                     heading_columns)
               : common::shorten(shape.total.kernel, name_columns);
}

/// The number of the device, where there are several.
std::string device_of(const common::LaunchRecord& launch)
{
    return launch.device ? std::to_string(*launch.device) : "-";
}

/// What limits the kernel that takes longest, and what would lift that; empty without a model.
std::string advice(const std::vector<Shape>& shapes)
{
    const auto slowest = std::ranges::max_element(shapes, {}, [](const Shape& shape) {
        return shape.modelled == 0
                   ? 0
                   : shape.ms * static_cast<double>(shape.launches + shape.uncounted) /
                         static_cast<double>(shape.launches);
    });
    if (slowest == shapes.end() || slowest->modelled == 0)
        return {};
    if (slowest->computes)
        return fmt::format("{} computes for long between its accesses: arithmetic limits it, which "
                           "is not modelled.\n",
                           slowest->total.kernel);
    const double ms = slowest->ms / static_cast<double>(slowest->modelled);
    const double launch_ms = modelled_card()->launch_ns / 1e6;
    constexpr double short_launch = 0.01; // ms
    if (ms < short_launch)
        return fmt::format(
            "{} takes {:.1f} us, of which {:.1f} are the launch: only fewer launches, of "
            "more work each, make it faster.\n",
            slowest->total.kernel, 1000 * ms, 1000 * launch_ms);
    const common::Counts& counts = slowest->total.counts;
    const auto ratio = [](std::uint64_t part, std::uint64_t whole) {
        return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
    };
    const double loads = ratio(counts.load_sectors, counts.load_requests);
    const double stores = ratio(counts.store_sectors, counts.store_requests);
    const std::string_view limit = slowest->limited_by;
    std::string what;
    if (limit == "dram")
        what = "memory is as busy as it can be; only fewer bytes make it faster (chapter 24)";
    else if (limit == "blocks")
        what =
            "its blocks end faster than new ones can be launched: give each thread more elements "
            "(chapter 23)";
    else if (limit == "latency")
        what = "too few bytes are on their way at once: more loads before the first use, or wider "
               "ones, lift it (chapter 22)";
    else if (limit == "straggler")
        what = "one of its blocks makes many more requests than the others, which have long ended: "
               "share its work among several";
    else if (limit == "shared")
        what = fmt::format(
            "shared memory is busy, with {} bank conflicts: pad or swizzle the tile (chapter 07)",
            common::format_count(counts.shared_load_conflicts + counts.shared_store_conflicts));
    else if (limit == "atomics")
        what = "atomics wait for each other: add up in a warp or a block first (chapter 25)";
    else if (limit == "constant")
        what = "lanes want different words of constant memory: global memory would be faster "
               "(chapter 08)";
    else if (limit == "link")
        what =
            "the way to another device's memory is busy; read there once what is used often, and "
            "let the device that has the data work on it";
    else if (limit == "host")
        what = "the link to the host's memory is busy: copy to the device what is used more than "
               "once";
    else if (limit == "issue")
        what = "it is busy with instructions: wider loads need fewer";
    else // lsu, l2
        what = fmt::format(
            "a load touches {:.1f} sectors and a store {:.1f}, where neighbouring lanes "
            "on neighbouring floats need 4 (chapter 03)",
            loads, stores);
    // What is left if that bound alone goes. Latency is looked for from half of the busiest unit's
    // time on: there it was not found.
    double next = 0;
    const auto limiting = std::ranges::find(time.bounds, limit, &common::Bound::name);
    for (const common::Bound& bound : time.bounds)
        if (bound.name != limit && bound.name != "straggler" &&
            !(bound.name == "latency" && bound.ms < 0.501 * limiting->ms))
            next = std::max(next, bound.ms);
    return fmt::format(
        "{} is limited by {}: {}. Without that limit it would be {:.1f} times as fast "
        "at most.\n",
        slowest->total.kernel, limit, what, time.ms / (next + launch_ms));
}

/// The kernel to the left, the numbers to the right; without the columns in which no kernel has
/// anything: atomics, conflicts, ...
TextTable table_of(const std::vector<Shape>& shapes)
{
    std::vector<TextTable::Column> columns;
    for (const auto& [upper, lower] :
         std::initializer_list<std::pair<const char*, const char*>>{{"", "kernel"},
                                                                    {"", "device"},
                                                                    {"", "grid"},
                                                                    {"", "block"},
                                                                    {"", "launches"},
                                                                    {"load", "requests"},
                                                                    {"sectors/", "request"},
                                                                    {"effi-", "ciency"},
                                                                    {"store", "requests"},
                                                                    {"sectors/", "request"},
                                                                    {"effi-", "ciency"},
                                                                    {"atomic", "requests"},
                                                                    {"shared", "atomics"},
                                                                    {"shared", "conflicts"},
                                                                    {"constant", "wavefronts"},
                                                                    {"local", "sectors"},
                                                                    {"peer", "sectors"},
                                                                    {"divergent", "warps"}})
        columns.push_back({.heading = {upper, lower}, .optional = true});
    columns.front().left = true;
    TextTable table(std::move(columns));
    for (std::size_t i = 0; i < std::min(shapes.size(), most_rows); ++i) {
        const common::LaunchRecord& launch = shapes[i].total;
        const common::Counts& counts = launch.counts;
        table.add(
            {name_of(shapes[i], shapes), device_of(launch), extent(launch.grid),
             extent(launch.block), common::format_count(shapes[i].launches + shapes[i].uncounted),
             common::format_count(counts.load_requests),
             sectors_a_request(counts.load_sectors, counts.load_requests),
             percent(counts.load_efficiency(), counts.load_requests),
             common::format_count(counts.store_requests),
             sectors_a_request(counts.store_sectors, counts.store_requests),
             percent(counts.store_efficiency(), counts.store_requests),
             common::format_count(counts.atomic_requests),
             common::format_count(launch.shared_atomic_requests),
             common::format_count(counts.shared_load_conflicts + counts.shared_store_conflicts),
             common::format_count(counts.constant_wavefronts),
             common::format_count(counts.local_load_sectors + counts.local_store_sectors),
             common::format_count(counts.peer_sectors()),
             common::format_count(counts.divergent_warps)});
    }
    table.remove_empty_columns();
    return table;
}

/// True of launches so small that a modelled time is a launch's own, whatever the kernel does.
bool is_small(const Shape& shape)
{
    constexpr double nearly_all = 0.8;
    const auto time = model(shape.total);
    return time && time->ms * nearly_all * 1e6 < modelled_card()->launch_ns;
}

/// What a model of a card says of each kernel, with a sentence on the one that takes longest; empty
/// without a model.
std::string modelled(const std::vector<Shape>& shapes)
{
    TextTable table({{.heading = {"", "kernel"}, .left = true},
                     {.heading = {"", "device"}, .optional = true},
                     {.heading = {"", "grid"}, .optional = true},
                     {.heading = {"", "block"}, .optional = true},
                     {.heading = {"", "launches"}, .optional = true},
                     {.heading = {"", "ms"}},
                     {.heading = {"", "GB/s"}},
                     {.heading = {"limited", "by"}, .left = true},
                     {.heading = {"", "registers"}, .optional = true}});
    bool assumed = false; // the registers of some kernels,
    bool known = false;   // and of others not
    std::vector<std::string> limits;
    std::string untimed; // a sentence for each kernel
    if (modelled_card() == nullptr)
        return {};
    if (std::ranges::all_of(shapes, is_small))
        return "\n" + common::wrap("No time is modelled of so little work: nearly all of it would "
                                   "be the launch itself. With more elements one stands here.\n",
                                   std::min(common::output_width(), common::readable_width));
    for (std::size_t i = 0; i < std::min(shapes.size(), most_rows); ++i) {
        const Shape& shape = shapes[i];
        if (shape.total.traffic && !common::untimed(*shape.total.traffic).empty())
            untimed += fmt::format("{} has no modelled time: {}.\n", name_of(shape, shapes),
                                   common::untimed(*shape.total.traffic));
        if (shape.modelled == 0)
            continue;
        const common::LaunchRecord& launch = shape.total;
        const bool again = std::ranges::count(shapes, launch.kernel, [](const Shape& other) {
                               return other.total.kernel;
                           }) > 1;
        const int registers = registers_of(launch.kernel);
        assumed = assumed || registers == 0;
        known = known || registers > 0;
        limits.emplace_back(shape.limited_by);
        table.add({name_of(shape, shapes), device_of(launch), again ? extent(launch.grid) : "",
                   again ? extent(launch.block) : "",
                   again ? common::format_count(shape.launches + shape.uncounted) : "",
                   fmt::format("{:.4f}", shape.ms / static_cast<double>(shape.modelled)),
                   fmt::format("{:.0f}", shape.bytes / (shape.ms * 1e6)),
                   shape.computes ? "arithmetic" : std::string(shape.limited_by),
                   registers > 0 ? std::to_string(registers) : ""});
    }
    table.remove_empty_columns();
    const std::size_t width = common::output_width();
    const std::size_t text_width = std::min(width, common::readable_width);
    const std::string_view card = modelled_card()->name;
    untimed = untimed.empty() ? "" : "\n" + common::wrap(untimed, text_width);
    if (limits.empty())
        return untimed;
    return fmt::format(
        "\n{}\n{}{}\n{}{}",
        common::wrap(
            fmt::format(
                "Modelled on {}, a launch with cold caches, without its arithmetic; not timed. {}:",
                card,
                assumed
                    ? fmt::format("{} registers a thread are assumed{}", common::assumed_registers,
                                  known ? " where nvcc says nothing" : "")
                    : "Registers a thread are nvcc's"),
            text_width),
        table.width() <= width ? table.text() : table.stacked(),
        common::wrap(common::typical_errors(common::Kernels::others, std::move(limits), card),
                     text_width),
        common::wrap(advice(shapes), text_width), untimed);
}

/// "scale: 130 of 4 096 blocks" of a launch of which a sample was counted.
std::string sample_of(const common::LaunchRecord& launch)
{
    const auto blocks = std::uint64_t{launch.grid[0]} * launch.grid[1] * launch.grid[2];
    return fmt::format("{}: {} of {} blocks", common::shorten(launch.kernel, name_columns),
                       common::format_count(launch.counted_blocks), common::format_count(blocks));
}

/// Which counts are scaled from a sample; empty where none are.
std::string samples(const std::vector<common::LaunchRecord>& launches)
{
    constexpr std::size_t most = 5;
    std::vector<std::string> names;
    for (const common::LaunchRecord& launch : launches)
        if (launch.counted_blocks != 0)
            if (std::string name = sample_of(launch); std::ranges::count(names, name) == 0)
                names.push_back(std::move(name));
    if (names.empty())
        return {};
    if (names.size() > most) {
        names.resize(most);
        names.emplace_back("...");
    }
    return fmt::format("Counts of large launches are scaled from a sample of their blocks, spread "
                       "over the grid ({}); the other blocks ran at full speed. With --count all, "
                       "every block is counted.\n",
                       fmt::join(names, "; "));
}

std::string summary(const std::vector<common::LaunchRecord>& launches)
{
    const std::vector<Shape> shapes = shapes_of(launches);
    std::uint64_t uncounted = 0;
    for (const Shape& shape : shapes)
        uncounted += shape.uncounted;
    const std::uint64_t all = launches.size() + uncounted;
    const std::size_t text_width = std::min(common::output_width(), common::readable_width);
    std::string text =
        "\n" +
        common::wrap(
            fmt::format(
                "CPU device: {} kernel launch{}, executed and {}, not timed: a time that the "
                "program takes is this host's. Sectors are 32 bytes.",
                common::format_count(all), all == 1 ? "" : "es",
                uncounted == 0 ? "counted"
                               : common::format_count(launches.size()) + " of them counted"),
            text_width) +
        "\n";
    if (launches.empty())
        return text;
    const TextTable table = table_of(shapes);
    text += table.width() <= common::output_width() ? table.text() : table.stacked();
    if (shapes.size() > most_rows) {
        std::uint64_t hidden = 0;
        for (std::size_t i = most_rows; i < shapes.size(); ++i)
            hidden += shapes[i].launches + shapes[i].uncounted;
        text += common::wrap(
            fmt::format("... and {} launches in {} more shapes; --json FILE writes them all.\n",
                        common::format_count(hidden), shapes.size() - most_rows),
            text_width);
    }
    if (std::any_of(shapes.begin(), shapes.end(), [](const Shape& shape) {
            const common::Counts& counts = shape.total.counts;
            return counts.load_efficiency() > 1 || counts.store_efficiency() > 1;
        }))
        text +=
            common::wrap("An efficiency above 100 %: lanes of a warp used the same bytes, which "
                         "move once and count for each lane.\n",
                         text_width);
    text += common::wrap(samples(launches), text_width);
    if (uncounted != 0)
        text += common::wrap(
            fmt::format(
                "Counted are the first launches of each configuration, and their counts are "
                "in the table. {} repeats ran at full speed, neither counted nor checked: "
                "of their faults, only an address outside all memory is reported. With "
                "--count all, every launch is counted and checked.\n",
                common::format_count(uncounted)),
            text_width);
    for (const Shape& shape : shapes)
        if (!shape.total.partial_barrier.empty())
            text += common::wrap("Warning: " + shape.total.partial_barrier + "\n", text_width);
    std::set<std::pair<std::string, bool>> told;
    for (const common::LaunchRecord& launch : launches)
        for (const std::string* sentence : {&launch.race, &launch.unwritten})
            if (!sentence->empty() && told.emplace(launch.kernel, sentence == &launch.race).second)
                text += common::wrap("Warning: " + *sentence + "\n", text_width);
    text += modelled(shapes);
    return text;
}

common::Modelled modelled_row(const common::ModelledTime& time, const common::LaunchRecord& launch)
{
    const common::Card& card = *modelled_card();
    const double gb_per_s = dram_bytes(launch) / (time.ms * 1e6);
    common::Modelled modelled;
    modelled.card = card.name;
    modelled.ms = time.ms;
    modelled.gb_per_s = gb_per_s;
    modelled.share_of_peak = gb_per_s / card.peak();
    modelled.limited_by = time.limited_by;
    modelled.bounds = time.bounds;
    modelled.traffic = launch.traffic;
    return modelled;
}

void write_json(const std::string& path, const std::vector<common::LaunchRecord>& launches)
{
    common::Results results;
    results.chapter = program_invocation_short_name;
    results.device = common::describe_device();
    results.environment = common::collect_environment();
    for (const common::LaunchRecord& launch : launches) {
        common::Row row = common::row_of(launch);
        if (const auto time = model(launch))
            row.modelled = modelled_row(*time, launch);
        if (launch.counted_blocks != 0)
            row.note = "counts are scaled from a sample: " + sample_of(launch);
        results.rows.push_back(std::move(row));
    }
    common::write_atomically(path, common::results_to_json(results));
}

void write_table(const std::vector<common::LaunchRecord>& launches)
{
    std::fputs(summary(launches).c_str(), stdout);
    if (std::fflush(stdout) != 0)
        throw std::system_error(errno, std::generic_category(),
                                "Cannot write the table of kernels to standard output");
}

/// False, after a sentence, if `write` throws.
template<class Write>
bool succeeds(Write write)
{
    try {
        write();
        return true;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", common::printable(error.what()).c_str());
        return false;
    }
}

bool forked = false;       ///< the process is a child of the program
int wake_up[2] = {-1, -1}; ///< a pipe: from the handler of a signal to the thread that acts on it

void on_signal(int number)
{
    const char byte = static_cast<char>(number);
    [[maybe_unused]] const auto written = write(wake_up[1], &byte, 1);
}

/// Waits for Ctrl-C or SIGTERM, and then prints what is done: all launches but the one that runs.
void act_on_signals()
{
    char number = 0;
    while (read(wake_up[0], &number, 1) != 1) {
    }
    const std::string running = cpu_device::running_launch();
    std::fflush(stdout);
    std::fprintf(stderr, "\nInterrupted%s%s. What was done before:\n",
                 running.empty() ? "" : " in ", running.c_str());
    succeeds([] { write_table(cpu_device::launches()); });
    std::signal(number, SIG_DFL);
    kill(getpid(), number);
}

/// Programs that handle these signals themselves still do.
void watch_signals()
{
    if (pipe(wake_up) != 0)
        return;
    std::thread(act_on_signals).detach();
    for (const int number : {SIGINT, SIGTERM}) {
        struct sigaction before = {};
        struct sigaction action = {};
        action.sa_handler = on_signal;
        action.sa_flags = SA_RESTART;
        if (sigaction(number, nullptr, &before) == 0 && before.sa_handler == SIG_DFL)
            sigaction(number, &action, nullptr);
    }
}

/// Runs after main(). The program's status stays what it was, but that a report which is lost is
/// no success.
void report(int status, void*)
{
    const std::vector<common::LaunchRecord>& launches = cpu_device::launches();
    if (forked && launches.empty())
        return;
    bool written = succeeds([&] { write_table(launches); });
    if (const char* path = std::getenv("MOVING_BYTES_JSON"))
        written = succeeds([&] { write_json(path, launches); }) && written;
    if (!written && status == 0) {
        std::fflush(nullptr);
        _exit(bad_usage);
    }
}

[[maybe_unused]] const bool prepared = [] {
    if (const common::Card* card = modelled_card(); card != nullptr) {
        common::model_card(*card);
        common::simulate_caches(true);
    }
    constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    cpu_device::Settings& settings = cpu_device::settings();
    settings.how_to_count_all = "--count all";
    settings.watchful = true;
    const char* const count = std::getenv("MOVING_BYTES_COUNT");
    settings.counted_launches =
        count != nullptr && std::string_view(count) == "all"
            ? most
            : common::setting<std::uint64_t>("MOVING_BYTES_COUNT", 1, most,
                                             "all, or a whole number from 1 on");
    if (const auto seed = common::setting<std::uint64_t>(
            "MOVING_BYTES_SEED", 0, most, "a whole number from 0 to 18446744073709551615"))
        common::set_lane_order(*seed);
    // A child tells of its own kernels, if it has any; its parent of those before.
    pthread_atfork(nullptr, nullptr, [] {
        forked = true;
        for (const int number : {SIGINT, SIGTERM}) // its parent has the thread that acts on them
            std::signal(number, SIG_DFL);
        cpu_device::forget_launches();
    });
    watch_signals();
    return on_exit(report, nullptr) == 0;
}();

} // namespace
