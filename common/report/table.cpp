#include "common/report/table.hpp"

#include "common/report/columns.hpp"
#include "common/report/common_values.hpp"
#include "common/report/ranking.hpp"
#include "common/report/remarks.hpp"
#include "common/text/format.hpp"
#include "common/text/terminal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace common {

namespace {

std::string heading(const Results& results, std::size_t width)
{
    std::string text = results.chapter + " on " +
                       (results.device.backend == "cpu"
                            ? std::string("the CPU device (counts memory transactions, does "
                                          "not measure time)")
                            : results.device.name);
    std::vector<std::string> facts;
    for (const Parameter& option : results.options)
        if (option.name == "processes")
            facts.push_back(to_string(option.value) + " processes, one per device");
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
    return line(text, width) +
           (facts.empty() ? "" : line(fmt::format("{}", fmt::join(facts, ", ")), width));
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
        text += line(
            fmt::format("Too narrow for {}; --csv FILE writes all columns.", format_list(hidden)),
            text_width);
    return text + remarks(results, text_width) + closing(results, text_width) +
           timelines(results, text_width);
}

std::string render_list(const Results& results, std::size_t width)
{
    constexpr std::size_t gap = 2;
    constexpr std::size_t narrowest = 20;
    std::size_t names = 0;
    for (const Row& row : results.rows)
        names = std::max(names, display_width(row.variant));
    const std::size_t room = std::max(width, names + gap + narrowest) - names - gap;
    TextTable table({{.left = true}, {.left = true}}, gap);
    for (const Row& row : results.rows) {
        std::vector<std::string> values;
        for (const Parameter& p : row.parameters)
            values.push_back(fmt::format("{} {}", p.name, to_string(p.value)));
        if (row.library)
            values.emplace_back("library");
        std::string name = row.variant;
        std::string line;
        for (const std::string& value : values) {
            if (line.size() + value.size() + gap > room) {
                table.add({std::exchange(name, ""), line});
                line.clear();
            }
            line += value + (&value == &values.back() ? "" : ", ");
        }
        table.add({name, line});
    }
    static_cast<void>(table.fit(width));
    return table.text();
}

} // namespace common
