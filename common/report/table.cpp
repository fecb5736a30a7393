#include "common/report/table.hpp"

#include "common/model/model_error.hpp"
#include "common/report/ranking.hpp"
#include "common/text/format.hpp"
#include "common/text/terminal.hpp"
#include "common/text/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <functional>

namespace common {

namespace {

/// A column, and what it shows of a row.
struct Column
{
    TextTable::Column column;
    std::function<std::string(const Row&)> cell;
};

std::string verified(const Row& row)
{
    if (!row.verified)
        return row.note.empty() ? "-" : row.note;
    return *row.verified ? "yes" : "FAILED";
}

template<class T>
std::string cell(const std::optional<T>& value, const char* format, double scale = 1)
{
    return value ? fmt::format(fmt::runtime(format), static_cast<double>(*value) * scale) : "-";
}

std::string ratio(std::uint64_t part, std::uint64_t whole)
{
    return whole == 0
               ? "-"
               : fmt::format("{:.1f}", static_cast<double>(part) / static_cast<double>(whole));
}

bool any(const Results& results, const std::function<bool(const Row&)>& holds)
{
    return std::any_of(results.rows.begin(), results.rows.end(), holds);
}

/// Names of the parameters of all rows, in the order of their first appearance.
std::vector<std::string> parameter_names(const Results& results)
{
    std::vector<std::string> names;
    for (const Row& row : results.rows)
        for (const Parameter& p : row.parameters)
            if (std::find(names.begin(), names.end(), p.name) == names.end())
                names.push_back(p.name);
    return names;
}

/// The value of `name` in every row, if it is the same in all.
std::optional<std::string> common_value(const Results& results, std::string_view name)
{
    std::optional<std::string> common;
    for (const Row& row : results.rows) {
        const Parameter::Value* value = row.parameter(name);
        if (value == nullptr || (common && *common != to_string(*value)))
            return std::nullopt;
        common = to_string(*value);
    }
    return common;
}

/// The state of the cache in every measured row, if it is the same in all.
std::optional<Cache> common_cache(const Results& results)
{
    std::optional<Cache> common;
    for (const Row& row : results.rows) {
        if (!row.cache)
            continue;
        if (common && *common != *row.cache)
            return std::nullopt;
        common = row.cache;
    }
    return common;
}

/// The row's label, with its n where rows differ in it.
std::string label(const Row& row, const Results& results)
{
    const Parameter::Value* n = row.parameter("n");
    return n == nullptr || common_value(results, "n")
               ? row.label()
               : fmt::format("{} at n = {}", row.label(), to_string(*n));
}

/// True if rows of one variant that the parameters `known` leave alike differ in that one.
bool distinguishes(const Results& results, const std::string& name,
                   const std::vector<std::string>& known)
{
    const auto differ = [](const Row& one, const Row& other, const std::string& parameter) {
        const Parameter::Value* const values[] = {one.parameter(parameter),
                                                  other.parameter(parameter)};
        return values[0] && values[1] && *values[0] != *values[1];
    };
    for (const Row& row : results.rows)
        for (const Row& other : results.rows)
            if (row.variant == other.variant && differ(row, other, name) &&
                std::none_of(known.begin(), known.end(),
                             [&](const std::string& before) { return differ(row, other, before); }))
                return true;
    return false;
}

void add_parameters(std::vector<Column>& columns, const Results& results)
{
    std::vector<std::string> telling; // rows of a variant apart
    for (const std::string& name : parameter_names(results)) {
        if (name == "n" && common_value(results, name))
            continue; // stated once, in the heading
        const bool tells = distinguishes(results, name, telling);
        if (tells)
            telling.push_back(name);
        const int importance = tells ? 92 : common_value(results, name) ? 40 : 76;
        columns.push_back(
            {{.heading = {"", name}, .importance = importance}, [name](const Row& row) {
                 const Parameter::Value* value = row.parameter(name);
                 return value == nullptr ? "-" : to_string(*value);
             }});
    }
}

/// Columns of a row's counts; "-" where there are none. An optional one is there where some row has
/// something to show in it.
void add_counts(std::vector<Column>& columns)
{
    const auto add = [&](std::vector<std::string> heading, int importance, bool optional,
                         std::string (*show)(const Counts&)) {
        columns.push_back(
            {{.heading = std::move(heading), .importance = importance, .optional = optional},
             [show](const Row& row) { return row.counts ? show(*row.counts) : "-"; }});
    };
    add({"sectors", "/ load"}, 80, false,
        [](const Counts& c) { return ratio(c.load_sectors, c.load_requests); });
    add({"load", "used"}, 70, false, [](const Counts& c) {
        return c.load_requests == 0 ? "-" : fmt::format("{:.0f} %", 100 * c.load_efficiency());
    });
    add({"sectors", "/ store"}, 73, false,
        [](const Counts& c) { return ratio(c.store_sectors, c.store_requests); });
    add({"store", "used"}, 50, false, [](const Counts& c) {
        return c.store_requests == 0 ? "-" : fmt::format("{:.0f} %", 100 * c.store_efficiency());
    });
    add({"sectors", "/ atomic"}, 55, true,
        [](const Counts& c) { return ratio(c.atomic_sectors, c.atomic_requests); });
    add({"bank", "conflicts"}, 79, true, [](const Counts& c) {
        return format_count(c.shared_load_conflicts + c.shared_store_conflicts);
    });
    add({"wavefronts", "/ constant"}, 57, true,
        [](const Counts& c) { return ratio(c.constant_wavefronts, c.constant_requests); });
    add({"local", "sectors"}, 58, true,
        [](const Counts& c) { return format_count(c.local_load_sectors + c.local_store_sectors); });
    add({"divergent", "warps"}, 30, true,
        [](const Counts& c) { return format_count(c.divergent_warps); });
    columns.push_back(
        {{.heading = {"peer", "MiB"}, .importance = 68, .optional = true},
         [](const Row& row) { return cell(row.peer_bytes, "{:.3f}", 1.0 / (1 << 20)); }});
}

void add_times(std::vector<Column>& columns, const Results& results)
{
    const auto add = [&](std::vector<std::string> heading, int importance,
                         std::function<std::string(const Row&)> cell) {
        columns.push_back(
            {{.heading = std::move(heading), .importance = importance}, std::move(cell)});
    };
    if (any(results, [](const Row& row) { return row.cache.has_value(); }) &&
        !common_cache(results)) {
        add({"", "cache"}, 88, [](const Row& row) { return row.cache ? name(*row.cache) : "-"; });
        columns.back().column.left = true;
    }
    add({"", "ms"}, 72,
        [](const Row& row) { return row.time ? fmt::format("{:.4f}", row.time->median) : "-"; });
    add({"", "± %"}, 65, [](const Row& row) {
        return row.time
                   ? fmt::format("{:.1f}", 50 * (row.time->p75 - row.time->p25) / row.time->median)
                   : "-";
    });
    if (any(results, [](const Row& row) { return row.operations.has_value(); }))
        add({"ns", "each"}, 90, [](const Row& row) {
            return row.operations && row.time
                       ? fmt::format("{:.4g}",
                                     row.time->median * 1e6 / static_cast<double>(*row.operations))
                       : "-";
        });
    add({"", "GB/s"}, 95, [](const Row& row) { return cell(row.gb_per_s, "{:.1f}"); });
    add({"% of", "peak"}, 80, [](const Row& row) {
        return cell(row.share_of_peak, "{:.1f}", 100) + (row.in_l2 ? "*" : "");
    });
    add({"% of", "copy"}, 60,
        [](const Row& row) { return cell(row.share_of_copy, "{:.1f}", 100); });
}

/// The elements of a row; nothing if it has no such parameter.
std::optional<std::uint64_t> own_n(const Row& row)
{
    const Parameter::Value* value = row.parameter("n");
    const auto* n = value == nullptr ? nullptr : std::get_if<std::int64_t>(value);
    return n == nullptr ? std::nullopt : std::optional<std::uint64_t>(*n);
}

/// The elements that a row's modelled time is of: those of the row where a link decides.
std::optional<std::uint64_t> modelled_n(const Row& row)
{
    if (!row.modelled)
        return std::nullopt;
    return row.modelled->n ? row.modelled->n : own_n(row);
}

/// The elements of all modelled times, if they are of the same number.
std::optional<std::uint64_t> common_modelled_n(const Results& results)
{
    std::optional<std::uint64_t> common;
    for (const Row& row : results.rows) {
        const std::optional<std::uint64_t> n = modelled_n(row);
        if (n && common && *n != *common)
            return std::nullopt;
        if (n)
            common = n;
    }
    return common;
}

/// True if each modelled time is of as many elements as its row.
bool modelled_as_run(const Results& results)
{
    return !any(results,
                [](const Row& row) { return row.modelled && modelled_n(row) != own_n(row); });
}

/// Times that a model of a card makes; "-" where it has nothing to say.
void add_modelled(std::vector<Column>& columns, const Results& results)
{
    if (!common_modelled_n(results) && !modelled_as_run(results))
        columns.push_back({{.heading = {"modelled", "n"}, .importance = 74}, [](const Row& row) {
                               const std::optional<std::uint64_t> n = modelled_n(row);
                               return n ? std::to_string(*n) : "-";
                           }});
    const auto add = [&](std::vector<std::string> heading, int importance,
                         std::function<std::string(const Modelled&)> show) {
        columns.push_back(
            {{.heading = std::move(heading), .importance = importance, .optional = true},
             [show = std::move(show)](const Row& row) {
                 return row.modelled ? show(*row.modelled) : "-";
             }});
    };
    add({"modelled", "ms"}, 78, [](const Modelled& m) { return fmt::format("{:.4f}", m.ms); });
    add({"modelled", "GB/s"}, 90, [](const Modelled& m) { return cell(m.gb_per_s, "{:.0f}"); });
    add({"% of", "peak"}, 45,
        [](const Modelled& m) { return cell(m.share_of_peak, "{:.0f}", 100); });
    add({"limited", "by"}, 77,
        [](const Modelled& m) { return m.limited_by.empty() ? "-" : m.limited_by; });
    columns.back().column.left = true;
}

std::vector<Column> make_columns(const Results& results)
{
    std::vector<Column> columns;
    columns.push_back({{.heading = {"", "variant"}, .left = true}, [](const Row& row) {
                           return row.variant + (row.library ? " (library)" : "");
                       }});
    add_parameters(columns, results);
    if (results.device.backend == "gpu")
        add_times(columns, results);
    if (any(results, [](const Row& row) { return row.counts.has_value(); }) ||
        results.device.backend == "cpu")
        add_counts(columns);
    if (any(results, [](const Row& row) { return row.modelled.has_value(); }))
        add_modelled(columns, results);
    if (any(results, [](const Row& row) { return row.verified || !row.note.empty(); }))
        columns.push_back({{.heading = {"", "verified"}, .left = true}, verified});
    return columns;
}

TextTable make_table(const Results& results)
{
    const std::vector<Column> columns = make_columns(results);
    std::vector<TextTable::Column> shapes;
    for (const Column& column : columns)
        shapes.push_back(column.column);
    TextTable table(std::move(shapes));
    for (const Row& row : results.rows) {
        std::vector<std::string> cells;
        for (const Column& column : columns)
            cells.push_back(column.cell(row));
        table.add(std::move(cells));
    }
    table.remove_empty_columns();
    return table;
}

std::string heading(const Results& results, std::size_t width)
{
    std::string text = results.chapter + " on " +
                       (results.device.backend == "cpu"
                            ? std::string("the CPU device, which counts memory transactions and "
                                          "does not time")
                            : results.device.name);
    std::vector<std::string> facts;
    if (const auto n = common_value(results, "n")) {
        facts.push_back(fmt::format("n = {}", format_count(std::stoull(*n))));
        // GPU-only rows have no bytes.
        const std::uint64_t bytes = results.rows.front().bytes;
        const bool differ =
            any(results, [&](const Row& row) { return row.bytes > 0 && row.bytes != bytes; });
        if (bytes > 0 && !differ)
            facts.push_back(format_bytes(bytes) + " to move");
    }
    if (const auto cache = common_cache(results))
        facts.push_back(fmt::format("{} cache", name(*cache)));
    if (results.device.peak_gb_per_s)
        facts.push_back(fmt::format("peak {:.0f} GB/s", *results.device.peak_gb_per_s));
    if (results.copy_gb_per_s)
        facts.push_back(fmt::format("copy {:.0f} GB/s", *results.copy_gb_per_s));
    return wrap(text, width) + "\n" +
           (facts.empty() ? "" : wrap(fmt::format("{}", fmt::join(facts, ", ")), width) + "\n");
}

/// Where modelled times come from, and why some rows have none.
std::string about_model(const Results& results, std::size_t width)
{
    std::string text;
    const auto modelled =
        std::find_if(results.rows.begin(), results.rows.end(),
                     [](const Row& row) { return row.modelled && row.modelled->traffic; });
    if (modelled != results.rows.end()) {
        const std::string& card = modelled->modelled->card;
        const std::optional<std::uint64_t> n = common_modelled_n(results);
        const std::string size =
            n ? fmt::format("at n = {}", format_count(*n))
            : modelled_as_run(results)
                ? "at the n of each row"
                : "at the sizes in the column modelled n, that of the run where a link decides";
        std::vector<std::string> limits;
        for (const Row& row : results.rows)
            if (row.modelled && row.modelled->traffic)
                limits.push_back(row.modelled->limited_by);
        text += wrap(fmt::format("Nothing was timed: ms and GB/s are what a model says of {} {} "
                                 "(--card, --no-model). {} "
                                 "book/how_we_model.md says how they are made.",
                                 card, size, typical_errors(std::move(limits), card)),
                     width) +
                "\n";
    }
    std::vector<std::string> told;
    for (const Row& row : results.rows) {
        if (row.unmodelled.empty() || results.device.backend == "gpu" ||
            std::find(told.begin(), told.end(), row.unmodelled) != told.end())
            continue;
        told.push_back(row.unmodelled);
        std::vector<std::string> names;
        for (const Row& other : results.rows) {
            const bool always = !any(
                results, [&](const Row& r) { return r.variant == other.variant && r.modelled; });
            const std::string name = always ? other.variant : label(other, results);
            if (other.unmodelled == row.unmodelled &&
                std::find(names.begin(), names.end(), name) == names.end())
                names.push_back(name);
        }
        text += wrap(fmt::format("No modelled time of {}: {}.", format_list(names), row.unmodelled),
                     width) +
                "\n";
    }
    return text;
}

/// What is wrong with the rows that failed, which were served by the cache, and which counts may
/// differ from a GPU's.
std::string remarks(const Results& results, std::size_t width)
{
    std::string text;
    for (const Row& row : results.rows)
        if (row.verified == false)
            text += wrap(fmt::format("FAILED {}: {}", label(row, results), row.note), width) + "\n";
    for (const Row& row : results.rows) {
        if (!row.in_l2)
            continue;
        const std::string cache =
            results.device.l2_bytes && *results.device.l2_bytes > 0
                ? fmt::format(", {:.2f} of the {} L2 cache",
                              static_cast<double>(row.bytes) /
                                  static_cast<double>(*results.device.l2_bytes),
                              format_bytes(*results.device.l2_bytes))
                : "";
        text += wrap(fmt::format("* in L2: {} works on {}{}; memory alone cannot be this fast.",
                                 label(row, results), format_bytes(row.bytes), cache),
                     width) +
                "\n";
    }
    text += about_model(results, width);
    if (any(results, [](const Row& row) { return row.counts && row.counts->divergent_warps > 0; }))
        text += wrap("Where the lanes of a warp did not all do the same (a divergent warp), a "
                     "GPU's counts can differ by a few requests.",
                     width) +
                "\n";
    return text;
}

/// What the rows that tie are called: a variant all of whose rows do by its name alone.
std::string describe(const std::vector<const Row*>& rows, const Results& results)
{
    std::vector<std::string> labels;
    for (const Row* row : rows) {
        const auto best = std::count_if(rows.begin(), rows.end(), [&](const Row* other) {
            return other->variant == row->variant;
        });
        const auto all =
            std::count_if(results.rows.begin(), results.rows.end(),
                          [&](const Row& other) { return other.variant == row->variant; });
        const std::string text = best == all && all > 1 ? row->variant : label(*row, results);
        if (std::find(labels.begin(), labels.end(), text) == labels.end())
            labels.push_back(text);
    }
    constexpr std::size_t most = 4;
    if (labels.size() > most) {
        const std::size_t left = labels.size() - (most - 1);
        labels.resize(most - 1);
        labels.push_back(fmt::format("{} more", left));
    }
    return format_list(labels);
}

/// The best of rows that solve one task.
std::string best_of_task(const Results& results)
{
    const std::vector<const Row*> best = best_rows(results);
    if (best.empty())
        return "";
    const Row& first = *best.front();
    const std::string names = describe(best, results);
    if (!first.time)
        return fmt::format("Fewest transactions, {:.1f} sectors and {:.1f} requests a KiB: {}.",
                           sectors_per_kib(first), requests_per_kib(first), names);
    std::string text =
        fmt::format("{} {:.1f} GB/s", best.size() == 1 ? "Best:" : "Tie at", *first.gb_per_s);
    if (first.share_of_peak)
        text += fmt::format(", {:.1f} % of peak", 100 * *first.share_of_peak);
    if (const Row* library = best_library(results))
        text +=
            fmt::format(", {:.2f} of {}", *first.gb_per_s / *library->gb_per_s, library->variant);
    return text + ": " + names + ".";
}

/// The best of each task, a line each: a copy is no match for a sum.
std::string closing(const Results& results, std::size_t width)
{
    std::string text;
    const std::vector<Results> tasks = by_task(results);
    for (const Results& part : tasks) {
        std::string best = best_of_task(part);
        if (best.empty())
            continue;
        if (tasks.size() > 1) {
            best.front() = static_cast<char>(std::tolower(best.front()));
            best = fmt::format("{}: {}", part.rows.front().task, best);
        }
        text += wrap(best, width) + "\n";
    }
    return text;
}

/// Where the rates of the card of that name come from.
std::string_view basis(std::string_view card)
{
    for (const Card& known : cards())
        if (known.name == card)
            return known.basis;
    return "of a card that is not known here";
}

/// The modelled timelines of the first rows in which there are at least three bars to see.
std::string timelines(const Results& results, std::size_t width)
{
    constexpr std::size_t most = 9;
    std::size_t drawn = 0;
    std::size_t left = 0;
    std::string card;
    std::string text;
    for (const Row& row : results.rows) {
        if (!row.modelled || row.modelled->bars.size() < 3)
            continue;
        if (drawn == most) {
            ++left;
            continue;
        }
        ++drawn;
        card = row.modelled->card;
        text += "\n" +
                wrap(fmt::format("{}, modelled on {}: {:.4f} ms", label(row, results),
                                 row.modelled->card, row.modelled->ms),
                     width) +
                "\n" + draw(*row.modelled, width);
        if (row.modelled->left_out > 0)
            text += wrap(fmt::format("The last {} bars are not drawn.",
                                     format_count(row.modelled->left_out)),
                         width) +
                    "\n";
    }
    if (left > 0)
        text += "\n" +
                wrap(fmt::format("{} more timelines are not drawn; --variant NAME shows one, "
                                 "--json FILE has all.",
                                 left),
                     width) +
                "\n";
    if (drawn > 0)
        text += "\n" +
                wrap(fmt::format("Nothing of this was timed: the bars are what a model makes of "
                                 "the calls and of the rates of {} ({}). A figure is the number "
                                 "of the stream (0 the default stream), # the host's work, a dot "
                                 "is idle.",
                                 card, basis(card)),
                     width) +
                "\n";
    return text;
}

} // namespace

std::string render_table(const Results& results, std::size_t width)
{
    const std::size_t text_width = std::min(width, readable_width);
    std::string text = heading(results, text_width);
    if (results.rows.empty())
        return text;
    std::vector<std::string> hidden;
    const auto add_table = [&](TextTable table) {
        for (const std::string& column : table.fit(width))
            if (std::find(hidden.begin(), hidden.end(), column) == hidden.end())
                hidden.push_back(column);
        text += "\n" + table.text() + "\n";
    };
    const std::vector<Results> tasks = by_task(results);
    const bool own_columns = std::any_of(tasks.begin(), tasks.end(), [&](const Results& part) {
        return parameter_names(part).size() < parameter_names(results).size();
    });
    TextTable all = make_table(results);
    if (all.width() <= text_width || !own_columns) {
        add_table(std::move(all));
    } else {
        for (const Results& part : tasks) {
            const auto n = common_value(part, "n");
            text += (&part == &tasks.front() ? "\n" : "") + part.rows.front().task +
                    (n && !common_value(results, "n")
                         ? fmt::format(", n = {}", format_count(std::stoull(*n)))
                         : "") +
                    "\n";
            add_table(make_table(part));
        }
    }
    if (!hidden.empty())
        text += wrap(fmt::format("No room for {}; --csv FILE has all.", format_list(hidden)),
                     text_width) +
                "\n";
    return text + remarks(results, text_width) + closing(results, text_width) +
           timelines(results, text_width);
}

std::string render_list(const Results& results)
{
    TextTable table({{.left = true}, {.left = true}});
    for (const Row& row : results.rows) {
        std::vector<std::string> values;
        for (const Parameter& p : row.parameters)
            values.push_back(fmt::format("{} {}", p.name, to_string(p.value)));
        if (row.library)
            values.emplace_back("library");
        table.add({row.variant, fmt::format("{}", fmt::join(values, ", "))});
    }
    return table.text();
}

} // namespace common
