#include "common/report/common_values.hpp"
#include "common/report/ranking.hpp"
#include "common/report/remarks.hpp"
#include "common/text/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace common {

namespace {

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

} // namespace

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
        text += line(best, width);
    }
    return text;
}

} // namespace common
