#include "common/report/ladder.hpp"

#include "common/model/card.hpp"
#include "common/report/ranking.hpp"
#include "common/text/format.hpp"
#include "common/text/terminal.hpp"
#include "common/text/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

namespace common {

namespace {

/// `share` of a bar, 0 to 1, in whole blocks; whatever is there shows at least one.
std::string bar(double share)
{
    constexpr std::size_t width = 10;
    const auto blocks = std::clamp(static_cast<long>(std::lround(share * width)),
                                   share > 0 ? 1L : 0L, static_cast<long>(width));
    std::string text;
    for (long i = 0; i < blocks; ++i)
        text += "█";
    return text;
}

std::string percent(const std::optional<double>& share)
{
    return share ? fmt::format("{:.0f} %", 100 * *share) : "-";
}

std::string quotient(double value, double reference)
{
    return reference > 0 ? fmt::format("{:.2f}", value / reference) : "-";
}

/// GB/s, its shares and ratios; `before` is what the chapter before reached, or 0.
std::vector<std::string> timed_cells(const Results& part, double before)
{
    const Row& best = *best_rows(part).front();
    const Row* library = best_library(part);
    return {fmt::format("{:.1f}", *best.gb_per_s),
            percent(best.share_of_peak),
            percent(best.share_of_copy),
            quotient(*best.gb_per_s, library == nullptr ? 0 : *library->gb_per_s),
            quotient(*best.gb_per_s, before),
            bar(best.share_of_peak.value_or(0))};
}

/// What the records of the card hold of the row, at the size at which it was modelled: cold, GB/s.
std::optional<double> recorded(const Row& row, const std::string& chapter,
                               const std::vector<Results>& records)
{
    const auto same = [&](const Row& other) {
        if (other.variant != row.variant || other.task != row.task || !other.gb_per_s ||
            other.cache == Cache::hot)
            return false;
        // What a GPU's row has besides, registers say, was only looked up there.
        return std::all_of(row.parameters.begin(), row.parameters.end(), [&](const auto& own) {
            const Parameter::Value* there = other.parameter(own.name);
            if (own.name == "rows" || own.name == "columns") // of n elements
                return true;
            return there != nullptr &&
                   *there == (own.name == "n" ? Parameter("n", *row.modelled->n).value : own.value);
        });
    };
    for (const Results& record : records)
        if (record.chapter == chapter && record.device.name.ends_with(row.modelled->card))
            for (const Row& other : record.rows)
                if (same(other))
                    return other.gb_per_s;
    return {};
}

/// The variant of the rows, or how many they are of: a winner whose lead is smaller than the
/// model's error is none.
std::string variant_of(const std::vector<const Row*>& rows)
{
    std::set<std::string> variants;
    for (const Row* row : rows)
        variants.insert(row->variant);
    return variants.size() == 1 ? *variants.begin() : fmt::format("{} alike", variants.size());
}

/// What the fastest modelled row asks for, its bandwidth, what limits it, and what was measured.
/// Without a model the row with the fewest transactions; where nothing is modelled, its bar shows
/// sectors: a full one is the 32 a KiB that nothing can go below without reuse.
std::vector<std::string> counted_cells(const Results& part, const std::vector<Results>& records,
                                       bool any_modelled)
{
    constexpr double least = 1024.0 / static_cast<double>(Counts::sector_bytes);
    const std::vector<const Row*> modelled = fastest_modelled(part);
    const Row& best = modelled.empty() ? *best_rows(part).front() : *modelled.front();
    std::vector<std::string> cells = {
        fmt::format("{:.1f}", sectors_per_kib(best)), fmt::format("{:.2f}", requests_per_kib(best)),
        any_modelled ? std::string() : bar(least / sectors_per_kib(best)),
        modelled.empty() ? best.variant : variant_of(modelled)};
    if (modelled.empty())
        return cells;
    const Modelled& model = *best.modelled;
    const std::optional<double> measured = recorded(best, part.chapter, records);
    const double peak = *model.gb_per_s / *model.share_of_peak;
    cells.insert(cells.end(),
                 {fmt::format("{:.0f}", *model.gb_per_s), model.limited_by,
                  bar(*model.share_of_peak), measured ? fmt::format("{:.0f}", *measured) : "-",
                  measured ? bar(*measured / peak) : ""});
    return cells;
}

/// The chapters that solve one task, each with the rows of that task alone.
struct Task
{
    std::string name;
    std::vector<Results> chapters;
};

/// The tasks in which something was measured, or counted, the commonest first; `idle` gets the
/// chapters without any.
std::vector<Task> tasks_of(const std::vector<Results>& chapters, bool timed,
                           std::vector<std::string>& idle)
{
    std::vector<Task> tasks;
    for (const Results& chapter : chapters) {
        bool found = false;
        for (Results& part : by_task(chapter)) {
            const std::vector<const Row*> best = best_rows(part);
            if (best.empty() || best.front()->gb_per_s.has_value() != timed)
                continue;
            found = true;
            const std::string& name = best.front()->task;
            auto task = std::find_if(tasks.begin(), tasks.end(),
                                     [&](const Task& known) { return known.name == name; });
            if (task == tasks.end())
                task = tasks.insert(task, {name, {}});
            task->chapters.push_back(std::move(part));
        }
        if (!found)
            idle.push_back(chapter.chapter);
    }
    std::stable_sort(tasks.begin(), tasks.end(), [](const Task& x, const Task& y) {
        return x.chapters.size() > y.chapters.size();
    });
    return tasks;
}

TextTable empty_ladder(bool timed)
{
    constexpr bool left = true;
    if (timed)
        return TextTable({{{"best of each chapter"}, left},
                          {{"GB/s"}},
                          {{"peak"}},
                          {{"copy"}},
                          {{"/lib."}},
                          {{"/last"}},
                          {{}, left}},
                         1);
    return TextTable({{{"best of each chapter"}, left},
                      {{"sectors", "/ KiB"}, false, 20},
                      {{"requests", "/ KiB"}, false, 10},
                      {{}, left, 20, true},
                      {{"variant"}, left, 5, true},
                      {{"modelled", "GB/s"}, false, TextTable::always, true},
                      {{"limited", "by"}, left, 30, true},
                      {{}, left, 40, true},
                      {{"recorded", "GB/s"}, false, TextTable::always, true},
                      {{}, left, 40, true}});
}

bool was_timed(const std::vector<Results>& chapters)
{
    return std::any_of(chapters.begin(), chapters.end(),
                       [](const Results& chapter) { return chapter.device.backend == "gpu"; });
}

/// True of a task that several chapters solve, with a bandwidth to compare.
bool is_compared(const Task& task)
{
    const auto has = [](const Row& row) {
        return row.gb_per_s || (row.modelled && row.modelled->gb_per_s);
    };
    return task.chapters.size() > 1 &&
           std::any_of(task.chapters.begin(), task.chapters.end(), [&](const Results& part) {
               return std::any_of(part.rows.begin(), part.rows.end(), has);
           });
}

std::string render(const std::vector<Results>& chapters, std::size_t width,
                   const std::vector<Results>& records, bool with_remarks)
{
    const bool timed = was_timed(chapters);
    std::vector<std::string> idle;
    const std::vector<Task> tasks = tasks_of(chapters, timed, idle);
    TextTable ladder = empty_ladder(timed);
    const auto modelled = std::find_if(chapters.begin(), chapters.end(), [](const Results& part) {
        return !fastest_modelled(part).empty();
    });
    const bool any_modelled = modelled != chapters.end();
    const auto add = [&](const std::string& name, const Results& part, double before) {
        std::vector<std::string> cells =
            timed ? timed_cells(part, before) : counted_cells(part, records, any_modelled);
        cells.insert(cells.begin(), name);
        ladder.add(std::move(cells));
    };
    bool alone = false; // among the tasks of one chapter, which are the last
    for (const Task& task : tasks) {
        const bool shared = task.chapters.size() > 1;
        if (shared || !alone) {
            ladder.add({});
            ladder.add({shared ? task.name : "in one chapter alone"});
        }
        alone = !shared;
        double before = 0;
        for (const Results& part : task.chapters) {
            const std::string number = part.chapter.substr(0, part.chapter.find('_'));
            add(shared ? part.chapter : number + " " + task.name, part, before);
            before = best_rows(part).front()->gb_per_s.value_or(0);
        }
    }
    ladder.remove_empty_columns();
    static_cast<void>(ladder.fit(width));
    std::string text = ladder.text();
    if (!with_remarks)
        return text;
    if (any_modelled) {
        const std::string& card = fastest_modelled(*modelled).front()->modelled->card;
        const Card* known = card_named(card);
        text +=
            "\n" +
            wrap(fmt::format(
                     "Nothing was timed here: a chapter stands with the row that a model of "
                     "{} finds fastest at the size of the reference results. Where others are "
                     "no farther behind than the model is off, the number of variants stands "
                     "instead of a name. Recorded is what was measured there of the same row, "
                     "which need not be the fastest. A full bar is the memory's peak.{}",
                     card,
                     known == nullptr || known->doubt.empty() ? ""
                                                              : " " + std::string(known->doubt)),
                 std::min(width, readable_width)) +
            "\n";
    }
    if (!idle.empty())
        text += "\n" +
                wrap(format_list(idle) +
                         (timed ? ": nothing was measured." : ": no bytes moved by kernels."),
                     width) +
                "\n";
    return text;
}

} // namespace

std::string render_ladder(const std::vector<Results>& chapters, std::size_t width,
                          const std::vector<Results>& records)
{
    return render(chapters, width, records, true);
}

std::string shorten_ladder(const std::vector<Results>& chapters, std::size_t width,
                           std::size_t height, const std::vector<Results>& records)
{
    std::vector<std::string> idle;
    std::vector<Task> tasks = tasks_of(chapters, was_timed(chapters), idle);
    if (std::any_of(tasks.begin(), tasks.end(), is_compared))
        std::erase_if(tasks, std::not_fn(is_compared));
    while (true) {
        std::vector<Results> parts;
        for (const Task& task : tasks)
            parts.insert(parts.end(), task.chapters.begin(), task.chapters.end());
        std::string text = render(parts, width, records, false);
        const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
        if (lines <= height || tasks.size() < 2)
            return text;
        tasks.pop_back();
    }
}

} // namespace common
