#include "common/text/text_table.hpp"

#include "common/text/format.hpp"

#include <algorithm>
#include <numeric>

namespace common {

namespace {

/// A heading's lines in one: "% of peak", "sectors/request", "efficiency".
std::string joined(const std::vector<std::string>& heading)
{
    std::string text;
    for (const std::string& line : heading) {
        if (line.empty())
            continue;
        if (text.ends_with('-'))
            text.pop_back();
        else if (!text.empty() && !text.ends_with('/'))
            text += ' ';
        text += line;
    }
    return text;
}

bool says_nothing(const std::string& cell)
{
    return cell.empty() || cell == "-" || cell == "0";
}

} // namespace

TextTable::TextTable(std::vector<Column> columns, std::size_t gap)
    : columns_(std::move(columns)), gap_(gap)
{
    std::size_t lines = 0;
    for (const Column& column : columns_)
        lines = std::max(lines, column.heading.size());
    for (Column& column : columns_) {
        column.heading.resize(lines);
        std::size_t widest = 0;
        for (const std::string& text : column.heading)
            widest = std::max(widest, display_width(text));
        widths_.push_back(widest);
    }
}

void TextTable::add(std::vector<std::string> cells)
{
    cells.resize(columns_.size());
    for (std::size_t i = 0; i < cells.size(); ++i)
        widths_[i] = std::max(widths_[i], display_width(cells[i]));
    rows_.push_back(std::move(cells));
}

void TextTable::remove_column(std::size_t column)
{
    const auto at = static_cast<std::ptrdiff_t>(column);
    columns_.erase(columns_.begin() + at);
    widths_.erase(widths_.begin() + at);
    for (std::vector<std::string>& cells : rows_)
        cells.erase(cells.begin() + at);
}

void TextTable::remove_empty_columns()
{
    for (std::size_t i = columns_.size(); i-- > 0;)
        if (columns_[i].optional && std::all_of(rows_.begin(), rows_.end(), [i](const auto& cells) {
                return says_nothing(cells[i]);
            }))
            remove_column(i);
}

std::vector<std::string> TextTable::fit(std::size_t width_wanted)
{
    std::vector<std::string> taken;
    while (width() > width_wanted) {
        const auto least = std::min_element(
            columns_.begin(), columns_.end(),
            [](const Column& x, const Column& y) { return x.importance < y.importance; });
        if (least->importance == always)
            break;
        taken.insert(taken.begin(), joined(least->heading));
        remove_column(static_cast<std::size_t>(least - columns_.begin()));
    }
    // Words can be cut, and numbers cannot.
    constexpr std::size_t narrowest = 8;
    for (std::size_t i = 0; i < columns_.size() && width() > width_wanted; ++i) {
        const std::size_t excess = width() - width_wanted;
        if (i == 0 || columns_[i].left)
            widths_[i] = std::min(widths_[i], std::max(widths_[i], excess + narrowest) - excess);
    }
    return taken;
}

std::size_t TextTable::width() const
{
    return std::accumulate(widths_.begin(), widths_.end(), (widths_.size() - 1) * gap_);
}

std::string TextTable::line(const std::vector<std::string>& cells) const
{
    std::string text;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const std::string shown = shorten(cells[i], widths_[i]);
        const std::string blanks(widths_[i] - display_width(shown), ' ');
        text += std::string(i == 0 ? 0 : gap_, ' ');
        text += columns_[i].left ? shown + blanks : blanks + shown;
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return text + "\n";
}

std::string TextTable::text() const
{
    std::string text;
    for (std::size_t heading = 0; heading < columns_.front().heading.size(); ++heading) {
        std::vector<std::string> cells;
        for (const Column& column : columns_)
            cells.push_back(column.heading[heading]);
        text += line(cells);
    }
    for (const std::vector<std::string>& cells : rows_)
        text += line(cells);
    return text;
}

std::string TextTable::stacked() const
{
    std::string text;
    for (const std::vector<std::string>& cells : rows_) {
        TextTable pairs({{.heading = {}, .left = true}, {}}, gap_);
        for (std::size_t i = 0; i < cells.size(); ++i)
            pairs.add({joined(columns_[i].heading), cells[i]});
        text += (text.empty() ? "" : "\n") + pairs.text();
    }
    return text;
}

} // namespace common
