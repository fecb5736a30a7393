#include "common/text/format.hpp"

#include <fmt/args.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace common {

std::string format_bytes(std::uint64_t bytes)
{
    constexpr std::array units = {"KiB", "MiB", "GiB", "TiB"};
    if (bytes < 1024)
        return fmt::format("{} B", bytes);
    auto value = static_cast<double>(bytes) / 1024;
    std::size_t unit = 0;
    for (; value >= 1024 && unit + 1 < units.size(); ++unit)
        value /= 1024;
    return fmt::format("{:.1f} {}", value, units[unit]);
}

std::string format_count(std::uint64_t count)
{
    std::string digits = fmt::format("{}", count);
    for (std::size_t end = digits.size(); end > 3; end -= 3)
        digits.insert(end - 3, ",");
    return digits;
}

std::string format_list(const std::vector<std::string>& items)
{
    std::string text;
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (i > 0)
            text += i + 1 == items.size() ? " and " : ", ";
        text += items[i];
    }
    return text;
}

Word::Word(float number) : text(fmt::format("{}", number)) {}

std::string filled_in(std::string_view text, std::initializer_list<Word> words)
{
    fmt::dynamic_format_arg_store<fmt::format_context> arguments;
    for (const Word& word : words)
        arguments.push_back(word.text);
    return fmt::vformat(text, arguments);
}

namespace {

/// Optimal string alignment distance: a swap of neighbours, the commonest typo, costs one.
std::size_t edit_distance(std::string_view a, std::string_view b)
{
    std::vector<std::vector<std::size_t>> cost(a.size() + 1,
                                               std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i) {
        for (std::size_t j = 0; j <= b.size(); ++j) {
            if (i == 0 || j == 0) {
                cost[i][j] = i + j;
                continue;
            }
            cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1,
                                   cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
        }
    }
    return cost[a.size()][b.size()];
}

} // namespace

std::string nearest(std::string_view word, const std::vector<std::string>& candidates)
{
    std::string best;
    std::size_t best_distance = word.size() / 2 + 1;
    for (const std::string& candidate : candidates) {
        if (word.size() >= candidate.size() + best_distance) // at least as many letters too many
            continue;
        const std::size_t distance = edit_distance(word, candidate);
        if (distance < best_distance) {
            best = candidate;
            best_distance = distance;
        }
    }
    return best;
}

namespace {

bool begins_code_point(char byte)
{
    return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
}

} // namespace

std::size_t display_width(std::string_view text)
{
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), begins_code_point));
}

std::string shorten(std::string_view text, std::size_t width, std::size_t kept_at_the_end)
{
    if (display_width(text) <= width)
        return std::string(text);
    if (width == 0)
        return "";
    const auto split = [&](std::size_t columns) {
        std::size_t end = 0;
        while (end < text.size() && !(begins_code_point(text[end]) && columns-- == 0))
            ++end;
        return end;
    };
    const std::size_t behind = std::min(kept_at_the_end, width - 1);
    return std::string(text.substr(0, split(width - 1 - behind))) + "…" +
           std::string(text.substr(split(display_width(text) - behind)));
}

std::string wrap(std::string_view text, std::size_t width)
{
    std::string wrapped;
    std::size_t column = 0;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find_first_of(" \n"), text.size());
        const std::string_view word = text.substr(0, end);
        const std::size_t word_width = display_width(word);
        if (column > 0 && column + 1 + word_width > width) {
            wrapped += '\n';
            column = 0;
        } else if (column > 0) {
            wrapped += ' ';
            ++column;
        }
        wrapped += word;
        column += word_width;
        if (end < text.size() && text[end] == '\n') {
            wrapped += '\n';
            column = 0;
        }
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return wrapped;
}

} // namespace common
