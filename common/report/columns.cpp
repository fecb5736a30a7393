#include "common/report/columns.hpp"

#include "common/model/model_error.hpp"
#include "common/report/common_values.hpp"
#include "common/text/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>

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
    add({"wavefronts", "/ atomic"}, 78, true, [](const Counts& c) {
        return ratio(c.shared_atomic_requests + c.shared_atomic_conflicts,
                     c.shared_atomic_requests);
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

/// Times that a model of a GPU makes; "-" where it has nothing to say.
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
    add({"modelled", "ms"}, 78, [](const Modelled& m) {
        return m.traffic ? two_digits(m.ms) : fmt::format("{:.4f}", m.ms); // kernels, and calls
    });
    add({"modelled", "GB/s"}, 90,
        [](const Modelled& m) { return m.gb_per_s ? two_digits(*m.gb_per_s) : "-"; });
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

} // namespace

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

} // namespace common
