#include "own_program/summary.hpp"

#include "common/model/model_error.hpp"
#include "common/text/format.hpp"
#include "common/text/terminal.hpp"
#include "common/text/text_table.hpp"
#include "own_program/advice.hpp"

#include <cpu_device/launches.hpp>
#include <cpu_device/trace.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <set>
#include <string_view>
#include <utility>

namespace own_program {
namespace {

constexpr std::size_t most_rows = 40; ///< a longer table is no help

std::string extent(const std::array<unsigned, 3>& size)
{
    if (size[2] != 1)
        return fmt::format("{}x{}x{}", size[0], size[1], size[2]);
    return size[1] != 1 ? fmt::format("{}x{}", size[0], size[1]) : std::to_string(size[0]);
}

/// "4.00", or "-" where there was no request.
std::string sectors_per_request(std::uint64_t sectors, std::uint64_t requests)
{
    return requests == 0 ? "-" : fmt::format("{:.2f}", ratio(sectors, requests));
}

std::string percent(double efficiency, std::uint64_t requests)
{
    return requests == 0 ? "-" : fmt::format("{:.3g} %", 100 * efficiency);
}

using common::TextTable;

/// The number of the device, where there are several.
std::string device_of(const common::LaunchRecord& launch)
{
    return launch.device ? std::to_string(*launch.device) : "-";
}

/// A table with these headings of two words.
TextTable table_with(std::initializer_list<std::string_view> headings)
{
    std::vector<TextTable::Column> columns;
    for (const std::string_view words : headings) {
        const std::size_t space = words.find(' ');
        columns.push_back(
            {.heading = {std::string(words.substr(0, space)), std::string(words.substr(space + 1))},
             .left = words == " kernel" || words == " arguments" || words == "limited by",
             .optional = true});
    }
    return TextTable(std::move(columns));
}

/// Without the columns in which no kernel has anything: atomics, conflicts, ...
TextTable table_of(const std::vector<Shape>& shapes)
{
    TextTable table = table_with(
        {" kernel", " arguments", " device", " grid", " block", " launches", "load requests",
         "sectors/ request", "effi- ciency", "store requests", "sectors/ request", "effi- ciency",
         "atomic requests", "shared atomics", "shared conflicts", "constant wavefronts",
         "local sectors", "peer sectors", "divergent warps"});
    for (std::size_t i = 0; i < std::min(shapes.size(), most_rows); ++i) {
        const common::LaunchRecord& launch = shapes[i].total;
        const common::Counts& counts = launch.counts;
        table.add(
            {name_of(shapes[i], shapes), arguments_of(shapes[i], shapes), device_of(launch),
             extent(launch.grid), extent(launch.block),
             common::format_count(shapes[i].launches + shapes[i].uncounted),
             common::format_count(counts.load_requests),
             sectors_per_request(counts.load_sectors, counts.load_requests),
             percent(counts.load_efficiency(), counts.load_requests),
             common::format_count(counts.store_requests),
             sectors_per_request(counts.store_sectors, counts.store_requests),
             percent(counts.store_efficiency(), counts.store_requests),
             common::format_count(counts.atomic_requests),
             common::format_count(counts.shared_atomic_requests),
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

/// Of blocks so large that a kernel with many registers would not start, how many that are.
std::string refused_above(const std::vector<Shape>& shapes)
{
    unsigned threads = 512; // fewer are seldom refused
    for (const Shape& shape : shapes)
        if (registers_of(shape.total.kernel) == 0)
            threads = std::max(threads,
                               shape.total.block[0] * shape.total.block[1] * shape.total.block[2]);
    return threads == 512
               ? ""
               : fmt::format("; with more than {}, a GPU refuses blocks of {}",
                             card_limits().registers_per_block / threads / 8 * 8, threads);
}

/// What a model of a GPU says of each kernel, with what limits those that take longest; empty
/// without a model.
std::string modelled(const std::vector<Shape>& shapes,
                     const std::vector<common::LaunchRecord>& launches)
{
    TextTable table = table_with({" kernel", " arguments", " device", " grid", " block",
                                  " launches", " ms", " GB/s", "limited by", " registers"});
    bool assumed = false, known = false; // the registers of some kernels
    bool any = false;
    std::string untimed; // a sentence for each kernel
    if (modelled_card() == nullptr)
        return {};
    if (std::ranges::all_of(shapes, is_small))
        return "\n" +
               common::wrap("No modelled time: so few bytes move that nearly all of it would be "
                            "launch overhead; arithmetic is not modelled. Use more elements, or "
                            "fewer launches.\n",
                            common::text_width());
    for (std::size_t i = 0; i < std::min(shapes.size(), most_rows); ++i) {
        const Shape& shape = shapes[i];
        const std::string sentence =
            fmt::format("{} has no modelled time: {}.\n", name_of(shape, shapes), shape.untimed);
        if (!shape.untimed.empty() && untimed.find(sentence) == std::string::npos)
            untimed += sentence;
        if (shape.modelled == 0)
            continue;
        const common::LaunchRecord& launch = shape.total;
        const bool again = std::ranges::count(shapes, launch.kernel, [](const Shape& other) {
                               return other.total.kernel;
                           }) > 1;
        const int registers = registers_of(launch.kernel);
        assumed = assumed || registers == 0;
        known = known || registers > 0;
        any = true;
        table.add({name_of(shape, shapes), arguments_of(shape, shapes), device_of(launch),
                   again ? extent(launch.grid) : "", again ? extent(launch.block) : "",
                   again ? common::format_count(shape.launches + shape.uncounted) : "",
                   common::with_range(shape.ms / static_cast<double>(shape.modelled),
                                      shape.bytes < static_cast<double>(shape.modelled) *
                                                        common::small_launch_bytes
                                          ? common::Kernels::unseen_small
                                          : common::Kernels::unseen),
                   common::two_digits(shape.bytes / (shape.ms * 1e6)),
                   std::string(shape.longest.limited_by),
                   registers > 0 ? std::to_string(registers) : ""});
    }
    table.remove_empty_columns();
    const std::size_t width = common::output_width(), text_width = common::text_width();
    const std::string_view card = modelled_card()->name;
    untimed = untimed.empty() ? "" : "\n" + common::wrap(untimed, text_width);
    if (!any)
        return untimed + advice(shapes, launches);
    return fmt::format(
        "\n{}\n{}{}\n{}{}",
        common::wrap(fmt::format("Modelled for {}, not timed: one launch with cold caches, "
                                 "without arithmetic. {}:",
                                 card,
                                 assumed ? fmt::format("{} registers per thread are assumed{}{}",
                                                       common::assumed_registers,
                                                       known ? " where nvcc reports none" : "",
                                                       refused_above(shapes))
                                         : "Registers per thread are nvcc's"),
                     text_width),
        table.width() <= width ? table.text() : table.stacked(),
        common::wrap(common::typical_errors(card), text_width), advice(shapes, launches), untimed);
}

/// Of each kernel with an array in local memory, where that is and what it costs, unless the text
/// before has that line.
std::string local_arrays(const std::vector<Shape>& shapes, const std::string& before)
{
    std::string text;
    std::set<std::string> told;
    for (const Shape& shape : shapes) {
        const common::LaunchRecord& launch = shape.total;
        if (launch.local_array == 0 || !told.insert(launch.kernel).second)
            continue;
        const std::string line = cpu_device::line_of_site(launch.local_array);
        if (before.find(line + ",") != std::string::npos)
            continue;
        text += fmt::format(
            "{} has its array{} in local memory because an index is known only at run time. Make "
            "each index a constant by unrolling, or keep the array in shared memory, "
            "[index][thread] (book/09_local_memory.md).\n",
            name_of(shape, shapes), line.empty() ? "" : " at " + line);
    }
    return text;
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
                       "over the grid ({}); the other blocks ran uncounted. With --count all, "
                       "every block is counted.\n",
                       fmt::join(names, "; "));
}

/// What became of the launches that were not counted.
std::string repeats(std::uint64_t executed, std::uint64_t skipped)
{
    std::string text = "The table has the counts of the first launches of each configuration.";
    if (executed != 0)
        text +=
            fmt::format(" {} repeats ran at full speed, neither counted nor checked: only accesses "
                        "outside all memory are reported.",
                        common::format_count(executed));
    if (skipped != 0)
        text += fmt::format(" {} repeats were skipped because nothing used what they would have "
                            "changed.",
                            common::format_count(skipped));
    return text + " With --count all, every launch is executed, counted and checked.\n";
}

/// Of a kernel that gets a number of elements, or of columns and rows, which its grid leaves out.
std::string left_out(const common::LaunchRecord& launch)
{
    const auto& [grid, block] = std::pair(launch.grid, launch.block);
    const std::uint64_t reach[] = {std::uint64_t{grid[0]} * block[0],
                                   std::uint64_t{grid[1]} * block[1]};
    if (grid[2] * block[2] != 1)
        return {};
    const auto ends_at = [&](std::uint64_t element, std::uint64_t all) { // in some array of so many
        return std::ranges::any_of(launch.reached, [&](const auto& reached) {
            return std::ranges::any_of(std::array{1, 2, 4, 8, 12, 16}, [&](std::size_t size) {
                return reached.first == (element * size + 31) / 32 * 32 &&
                       all * size <= reached.second;
            });
        });
    };
    const auto blocks = [](std::uint64_t elements, unsigned of) {
        return (elements + of - 1) / of;
    };
    const std::vector<std::pair<std::string, long long>> one_row = {{"", 1}};
    for (const auto& [width, w] : launch.numbers)
        for (const auto& [height, h] : reach[1] == 1 ? one_row : launch.numbers) {
            const auto columns = static_cast<std::uint64_t>(w),
                       rows = static_cast<std::uint64_t>(h);
            const std::uint64_t end =
                (std::min(reach[1], rows) - 1) * columns + std::min(reach[0], columns);
            if (w < 1 || h < 1 || w > INT32_MAX || (reach[0] >= columns && reach[1] >= rows) ||
                !ends_at(end, columns * rows) || ends_at(columns * rows, columns * rows))
                continue;
            const bool turned = grid[0] == blocks(rows, block[0]) &&
                                grid[1] == blocks(columns, block[1]) && reach[1] > 1;
            const unsigned of = reach[0] < columns ? block[0] : block[1];
            const bool rounded = reach[0] + block[0] > columns && reach[1] + block[1] > rows;
            if (turned || rounded)
                return fmt::format(
                    "{} has {} = {}{}, but {} blocks of {} threads end at {}: the rest is left "
                    "out. {} (book/01_basic_vecadd.md).",
                    launch.launch, width, w, h == 1 ? "" : fmt::format(", {} = {}", height, h),
                    extent(grid), extent(block),
                    extent({static_cast<unsigned>(reach[0]), static_cast<unsigned>(reach[1]), 1}),
                    rounded ? fmt::format("A division of whole numbers rounds down: launch ({0} + "
                                          "{1}) / {2} blocks",
                                          reach[0] < columns ? width : height, of - 1, of)
                            : fmt::format("Let x of the grid cover {}, and y {}", width, height));
        }
    return {};
}

/// Of a kernel whose threads may hold more at a time than a GPU's heap does: here few of them run.
std::string over_heap(const common::LaunchRecord& launch)
{
    if (modelled_card() == nullptr || launch.heap_calls == 0)
        return {};
    const int threads = static_cast<int>(launch.block[0] * launch.block[1] * launch.block[2]);
    const int registers = registers_of(launch.kernel);
    const double blocks = 1.0 * launch.grid[0] * launch.grid[1] * launch.grid[2];
    const double resident =
        1.0 * card_limits().multiprocessors *
        resident_blocks(card_limits(), threads,
                        registers > 0 ? registers : common::assumed_registers,
                        launch.static_shared_bytes + launch.dynamic_shared_bytes);
    const double bytes = static_cast<double>(launch.heap_bytes) * // of one call per thread
                         std::min(1.0, ratio(blocks * threads, launch.heap_calls)) *
                         std::min(1.0, resident / blocks);
    if (bytes <= static_cast<double>(launch.heap_limit))
        return {};
    const auto text = [](auto size) {
        return common::format_bytes(static_cast<std::uint64_t>(size));
    };
    return fmt::format(
        "{} allocates with malloc() or new: the threads that a GPU runs at a time may hold {}, but "
        "its heap has {}, and then malloc() returns null; here few threads run at a time. Raise "
        "cudaLimitMallocHeapSize by cudaDeviceSetLimit() before the first launch "
        "(book/09_local_memory.md).",
        launch.launch, text(bytes), text(launch.heap_limit));
}

} // namespace

std::string sample_of(const common::LaunchRecord& launch)
{
    const auto blocks = std::uint64_t{launch.grid[0]} * launch.grid[1] * launch.grid[2];
    return fmt::format("{}: {} of {} blocks",
                       common::shorten(launch.kernel, name_columns, name_columns / 2),
                       common::format_count(launch.counted_blocks), common::format_count(blocks));
}

std::string summary(const std::vector<common::LaunchRecord>& launches, bool done)
{
    const std::vector<Shape> shapes = shapes_of(launches);
    std::uint64_t uncounted = 0, skipped = 0;
    for (const Shape& shape : shapes)
        uncounted += shape.uncounted;
    for (const common::LaunchRecord& launch : launches)
        skipped += launch.left_out + launch.deferred;
    const std::uint64_t all = launches.size() + uncounted;
    std::string text = "\n";
    const auto say = [&](const std::string& lines) {
        text += common::wrap(lines, common::text_width());
    };
    const auto warn = [&](const std::string& sentence) {
        if (!sentence.empty())
            say("Warning: " + sentence + "\n");
    };
    say(fmt::format("CPU device: {} kernel launch{}, executed and {}, not timed: times that the "
                    "program measures are this host's. Sectors are 32 bytes.\n",
                    common::format_count(all), all == 1 ? "" : "es",
                    uncounted == 0 ? "counted"
                                   : common::format_count(launches.size()) + " of them counted"));
    if (launches.empty()) {
        warn(cpu_device::early_use());
        say(host_part(0));
        return text;
    }
    const TextTable table = table_of(shapes);
    text += table.width() <= common::output_width() ? table.text() : table.stacked();
    if (shapes.size() > most_rows) {
        std::uint64_t hidden = 0;
        for (std::size_t i = most_rows; i < shapes.size(); ++i)
            hidden += shapes[i].launches + shapes[i].uncounted;
        say(fmt::format("... and {} launches in {} more configurations; --json FILE writes all.\n",
                        common::format_count(hidden), shapes.size() - most_rows));
    }
    if (std::any_of(shapes.begin(), shapes.end(), [](const Shape& shape) {
            const common::Counts& counts = shape.total.counts;
            return std::max(counts.load_efficiency(), counts.store_efficiency()) >
                   1.005; // shown so
        }))
        say("An efficiency above 100 % means that lanes of a warp share bytes, which move once and "
            "count for each lane.\n");
    say(samples(launches));
    if (uncounted != 0)
        say(repeats(uncounted - skipped, skipped));
    for (const Shape& shape : shapes)
        warn(shape.total.partial_barrier);
    std::set<std::pair<std::string, int>> told;
    for (const common::LaunchRecord& launch : launches)
        for (int kind = 0; const std::string& sentence :
                           {launch.race, launch.unwritten, left_out(launch), over_heap(launch)})
            if (++kind; !sentence.empty() && told.emplace(launch.kernel, kind).second)
                warn(sentence);
    warn(cpu_device::early_use());
    text += modelled(shapes, launches);
    say(local_arrays(shapes, text));
    double kernels_ms = 0;
    for (const Shape& shape : shapes)
        kernels_ms += shape.all_ms();
    say(host_part(kernels_ms, done ? &launches.back() : nullptr));
    return text;
}

} // namespace own_program
