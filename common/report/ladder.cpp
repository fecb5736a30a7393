#include "common/report/ladder.hpp"

#include "common/text/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace common {

namespace {

constexpr std::size_t name_width = 22;
constexpr std::size_t bar_width = 10;

/// `share` of a bar, 0 to 1, in whole blocks; whatever is there shows at least one.
std::string bar(double share)
{
    const auto blocks = std::clamp(static_cast<long>(std::lround(share * bar_width)),
                                   share > 0 ? 1L : 0L, static_cast<long>(bar_width));
    std::string text;
    for (long i = 0; i < blocks; ++i)
        text += "█";
    return text;
}

std::string name(const Results& chapter)
{
    const std::string text = shorten(chapter.chapter, name_width);
    return text + std::string(name_width - display_width(text), ' ');
}

std::string percent(const std::optional<double>& share)
{
    return share ? fmt::format("{:.0f} %", 100 * *share) : "-";
}

std::string quotient(double value, double reference)
{
    return reference > 0 ? fmt::format("{:.2f}", value / reference) : "-";
}

std::string timed_line(const Results& chapter, const Row& best, double before)
{
    const Row* library = best_library(chapter);
    return fmt::format("{} {:>7.1f} {:>5} {:>5} {:>5} {:>5}  {}\n", name(chapter), *best.gb_per_s,
                       percent(best.share_of_peak), percent(best.share_of_copy),
                       quotient(*best.gb_per_s, library == nullptr ? 0 : *library->gb_per_s),
                       quotient(*best.gb_per_s, before), bar(best.share_of_peak.value_or(0)));
}

std::string timed_ladder(const std::vector<Results>& chapters)
{
    std::string text = fmt::format("{:<{}} {:>7} {:>5} {:>5} {:>5} {:>5}\n", "best of each chapter",
                                   name_width, "GB/s", "peak", "copy", "/library", "/last");
    double before = 0;
    for (const Results& chapter : chapters) {
        const std::vector<const Row*> best = best_rows(chapter);
        if (best.empty()) {
            text += name(chapter) + "  nothing was measured\n";
            continue;
        }
        text += timed_line(chapter, *best.front(), before);
        before = *best.front()->gb_per_s;
    }
    return text;
}

/// The bar shows sectors: a full one is the 32 a KiB that nothing can go below without reuse.
std::string counted_ladder(const std::vector<Results>& chapters)
{
    constexpr double least = 1024.0 / static_cast<double>(Counts::sector_bytes);
    std::string text =
        fmt::format("{:<{}} {:>8} {:>9}\n{:<{}} {:>8} {:>9}\n", "fewest of each chapter",
                    name_width, "sectors", "requests", "", name_width, "/ KiB", "/ KiB");
    for (const Results& chapter : chapters) {
        const std::vector<const Row*> best = best_rows(chapter);
        if (best.empty()) {
            text += name(chapter) + "  moves no bytes by kernels\n";
            continue;
        }
        const Row& row = *best.front();
        text += fmt::format("{} {:>8.1f} {:>9.2f}  {}\n", name(chapter), sectors_per_kib(row),
                            requests_per_kib(row), bar(least / sectors_per_kib(row)));
    }
    return text;
}

} // namespace

std::string render_ladder(const std::vector<Results>& chapters, std::size_t width)
{
    const bool timed = std::any_of(chapters.begin(), chapters.end(), [](const Results& chapter) {
        return chapter.device.backend == "gpu";
    });
    const std::string ladder = timed ? timed_ladder(chapters) : counted_ladder(chapters);
    std::string text;
    for (std::size_t start = 0; start < ladder.size();) {
        const std::size_t end = ladder.find('\n', start);
        std::string line = shorten(ladder.substr(start, end - start), width);
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
        start = end + 1;
    }
    return text;
}

} // namespace common
