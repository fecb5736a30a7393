#include "common/report/remarks.hpp"

#include "common/model/model_error.hpp"
#include "common/report/common_values.hpp"
#include "common/report/ranking.hpp"
#include "common/text/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <tuple>

namespace common {

namespace {

constexpr std::size_t least_drawn = 3; // bars of a timeline

bool has_timeline(const Row& row)
{
    return row.modelled && row.modelled->bars.size() >= least_drawn;
}

/// Whether the same variant has a timeline of more bytes, which tells more.
bool has_larger(const Row& row, const Results& results)
{
    return std::any_of(results.rows.begin(), results.rows.end(), [&](const Row& other) {
        return has_timeline(other) && other.variant == row.variant && other.task == row.task &&
               other.bytes > row.bytes;
    });
}

/// Where the rates of the GPU of that name come from.
std::string basis(std::string_view card)
{
    const Card* known = find_card(card);
    return known == nullptr ? "an unknown GPU" : known->basis;
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
                : "at the sizes in column modelled n (the size that ran, if a link is the limit)";
        text += line(fmt::format("Not timed: ms and GB/s are modelled for {} {} (--card, "
                                 "--no-model; book/how_we_model.md). {}",
                                 card, size, typical_errors(card)),
                     width);
    } else if (const auto copied = std::find_if(results.rows.begin(), results.rows.end(),
                                                [](const Row& row) { return bool(row.modelled); });
               copied != results.rows.end() && !any(results, has_timeline)) {
        text += line(fmt::format("Not timed: ms are modelled from the program's calls and the "
                                 "transfer rates of {} ({}).",
                                 copied->modelled->card, basis(copied->modelled->card)),
                     width);
    }
    std::vector<std::string> told;
    for (const Row& row : results.rows) {
        if (row.model_excluded_reason.empty() || results.device.backend == "gpu" ||
            std::find(told.begin(), told.end(), row.model_excluded_reason) != told.end())
            continue;
        told.push_back(row.model_excluded_reason);
        std::vector<std::string> names;
        for (const Row& other : results.rows) {
            const bool always = !any(
                results, [&](const Row& r) { return r.variant == other.variant && r.modelled; });
            const std::string name = always ? other.variant : label(other, results);
            if (other.model_excluded_reason == row.model_excluded_reason &&
                std::find(names.begin(), names.end(), name) == names.end())
                names.push_back(name);
        }
        text += line(fmt::format("No modelled time for {}: {}.", format_list(names),
                                 row.model_excluded_reason),
                     width);
    }
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
        return fmt::format(
            "Transactions are fewest with {}: {:.1f} sectors and {:.1f} requests per KiB to move.",
            names, sectors_per_kib(first), requests_per_kib(first));
    std::string text =
        fmt::format("{} {:.1f} GB/s", best.size() == 1 ? "Best:" : "Tie at", *first.gb_per_s);
    if (first.share_of_peak)
        text += fmt::format(", {:.1f} % of peak", 100 * *first.share_of_peak);
    if (const Row* library = best_library(results))
        text += fmt::format(", {:.2f} times {}", *first.gb_per_s / *library->gb_per_s,
                            library->variant);
    return text + ": " + names + ".";
}

} // namespace

std::string remarks(const Results& results, std::size_t width)
{
    std::string text;
    for (const Row& row : results.rows)
        if (row.verified == false)
            text += line(fmt::format("FAILED {}: {}", label(row, results), row.note), width);
    for (const Row& row : results.rows) {
        if (!row.in_l2)
            continue;
        const std::string cache =
            results.device.l2_bytes && *results.device.l2_bytes > 0
                ? fmt::format(", {:.0f} % of the {} L2 cache",
                              100 * static_cast<double>(row.bytes) /
                                  static_cast<double>(*results.device.l2_bytes),
                              format_bytes(*results.device.l2_bytes))
                : "";
        text += line(fmt::format("* in L2: {} accesses {}{}; DRAM alone cannot be this fast.",
                                 label(row, results), format_bytes(row.bytes), cache),
                     width);
    }
    text += about_model(results, width);
    if (any(results, [](const Row& row) { return row.counts && row.counts->divergent_warps > 0; }))
        text += line("Lanes of a warp took different branches (a divergent warp): a GPU's counts "
                     "can differ by a few requests.",
                     width);
    return text;
}

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

std::string timelines(const Results& results, std::size_t width)
{
    constexpr std::size_t most = 9;
    std::vector<std::string> drawn; // with their variants: two alike say as much as one
    std::size_t left = 0;
    std::string card;
    std::string text;
    for (const Row& row : results.rows) {
        if (!has_timeline(row))
            continue;
        const std::string bars = draw(*row.modelled, width);
        const std::string seen = fmt::format("{} {:.4f}\n{}", row.variant, row.modelled->ms, bars);
        if (drawn.size() == most || has_larger(row, results) ||
            std::find(drawn.begin(), drawn.end(), seen) != drawn.end()) {
            ++left;
            continue;
        }
        drawn.push_back(seen);
        card = row.modelled->card;
        text += "\n" +
                line(fmt::format("{}, modelled on {}: {:.4f} ms", label(row, results),
                                 row.modelled->card, row.modelled->ms),
                     width) +
                bars;
        if (row.modelled->left_out > 0)
            text += line(fmt::format("The last {} bars are not drawn.",
                                     format_count(row.modelled->left_out)),
                         width);
    }
    if (left > 0)
        text += "\n" +
                line(fmt::format(
                         "{} more timelines are not drawn, identical and smaller ones among them; "
                         "--variant NAME selects, --json FILE writes all.",
                         left),
                     width);
    if (!drawn.empty())
        text +=
            "\n" +
            line(fmt::format("Not timed: the bars are modelled from the program's calls and the "
                             "rates of {} ({}). Digits are stream numbers (0 is the default "
                             "stream), # is host work, dots are idle time.",
                             card, basis(card)),
                 width);
    return text;
}

std::string draw(const Modelled& modelled, std::size_t width)
{
    double end = 0;
    bool several = false; // of one device alone no line says which
    for (const Bar& bar : modelled.bars) {
        end = std::max(end, bar.end_ms);
        several |= bar.device.has_value();
    }
    const std::size_t label_width = several ? 11 : 9;
    if (end <= 0 || width <= label_width)
        return {};
    const std::size_t columns = width - label_width;
    const auto column = [&](double ms) {
        return static_cast<std::size_t>(ms / end * static_cast<double>(columns));
    };
    // By device, and last the host's.
    std::map<std::tuple<bool, std::optional<int>, Engine>, std::string> lines;
    for (const Bar& bar : modelled.bars) {
        const bool host = bar.engine == Engine::host;
        std::string& line =
            lines.try_emplace({host, bar.device, bar.engine}, columns, '.').first->second;
        // From the column that holds its start to before the one that holds its end, and at least
        // one: a short kernel must be seen.
        const std::size_t first = std::min(columns - 1, column(bar.start_ms));
        const std::size_t count = std::max(first + 1, column(bar.end_ms)) - first;
        const char stream = bar.stream < 10 ? static_cast<char>('0' + bar.stream) : '+';
        line.replace(first, count, std::min(count, columns - first), host ? '#' : stream);
    }
    std::string text;
    for (const auto& [key, line] : lines) {
        const auto& [host, device, engine] = key;
        const std::string label = name(engine) + (device ? fmt::format(" {}", *device) : "");
        text += fmt::format("{:{}}{}\n", label, label_width, line);
    }
    return text;
}

} // namespace common
