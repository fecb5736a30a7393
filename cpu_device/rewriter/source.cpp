#include "rewriter/source.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace launch_rewriter {

std::optional<LineMark> line_mark(std::string_view line)
{
    const std::size_t prefix = line.substr(0, 2) == "# "       ? 2
                               : line.substr(0, 6) == "#line " ? 6
                                                               : 0;
    if (prefix == 0)
        return std::nullopt;
    LineMark mark;
    const char* const end = line.data() + line.size();
    const auto [behind, error] = std::from_chars(line.data() + prefix, end, mark.line);
    if (error != std::errc() || end - behind < 3 || behind[1] != '"')
        return std::nullopt;
    const char* at = behind + 2;
    for (; at != end && *at != '"'; ++at) {
        at += *at == '\\' && at + 1 != end;
        mark.file += *at;
    }
    for (; at != end; ++at)
        mark.of_system = mark.of_system || *at == '3';
    return mark;
}

Source::Source(std::string_view text, const std::string& file)
    : text_(text), file_(file), tokens_(tokens_of(text)), closing_(tokens_.size(), tokens_.size())
{
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < size(); ++i) {
        if (is_any(i, {"(", "[", "{"})) {
            open.push_back(i);
        } else if (is_any(i, {")", "]", "}"}) && !open.empty()) {
            closing_[open.back()] = i;
            open.pop_back();
        }
    }
}

bool Source::is_any(std::size_t i, std::initializer_list<std::string_view> texts) const
{
    return std::any_of(texts.begin(), texts.end(),
                       [&](std::string_view text) { return is(i, text); });
}

bool Source::holds(std::size_t first, std::size_t last, std::string_view text) const
{
    const auto begin = tokens_.begin();
    return std::any_of(begin + static_cast<std::ptrdiff_t>(first),
                       begin + static_cast<std::ptrdiff_t>(std::min(last, size())),
                       [&](const Token& token) { return token.is(text); });
}

std::size_t Source::closing(std::size_t open) const
{
    return is_any(open, {"(", "[", "{"}) ? closing_[open] : open;
}

LineMark Source::place_of(std::size_t i) const
{
    const std::string_view before = text_.substr(0, tokens_[i].begin);
    LineMark place{1, file_, false};
    for (std::size_t begin = 0, end = 0; (end = before.find('\n', begin)) != before.npos;
         begin = end + 1) {
        ++place.line;
        if (auto mark = line_mark(before.substr(begin, end - begin)))
            place = *std::move(mark);
    }
    return place;
}

void Source::refuse(std::size_t i, const std::string& sentence) const
{
    const LineMark place = place_of(i);
    throw Unsupported(place.file + ":" + std::to_string(place.line) + ": " + sentence);
}

void Source::replace(std::size_t first, std::size_t last, std::string_view text)
{
    const std::size_t begin = tokens_[first].begin;
    const std::size_t length = tokens_[last].end() - begin;
    const std::string_view original = text_.substr(begin, length);
    const auto lines = std::count(original.begin(), original.end(), '\n');
    edit(begin, length, std::string(text) + std::string(static_cast<std::size_t>(lines), '\n'));
}

std::string Source::edited() const
{
    std::vector<Edit> edits = edits_;
    std::stable_sort(edits.begin(), edits.end(),
                     [](const Edit& a, const Edit& b) { return a.begin < b.begin; });
    std::string result;
    std::size_t copied = 0;
    for (const Edit& edit : edits) {
        if (edit.begin < copied)
            continue; // inside a declaration that is replaced
        result += text_.substr(copied, edit.begin - copied);
        result += edit.replacement;
        copied = edit.begin + edit.length;
    }
    return result + std::string(text_.substr(copied));
}

} // namespace launch_rewriter
