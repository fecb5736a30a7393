#include "rewriter/source.hpp"

#include <algorithm>

namespace launch_rewriter {

Source::Source(std::string_view text, const std::string& file)
    : text_(text), file_(file), tokens_(tokens_of(text))
{}

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
    int depth = 0;
    std::size_t i = open;
    for (; i < size(); ++i) {
        depth += is_any(i, {"(", "[", "{"});
        depth -= is_any(i, {")", "]", "}"});
        if (depth == 0)
            break;
    }
    return i;
}

void Source::refuse(std::size_t i, const std::string& sentence) const
{
    const auto line =
        1 + std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(tokens_[i].begin),
                       '\n');
    throw Unsupported(file_ + ":" + std::to_string(line) + ": " + sentence);
}

void Source::replace(std::size_t first, std::size_t last, std::string_view text)
{
    const std::size_t begin = tokens_[first].begin;
    const std::size_t length = tokens_[last].end() - begin;
    const std::string_view original = text_.substr(begin, length);
    const auto lines = std::count(original.begin(), original.end(), '\n');
    edit(begin, length, std::string(text) + std::string(static_cast<std::size_t>(lines), '\n'));
}

std::string Source::edited()
{
    std::stable_sort(edits_.begin(), edits_.end(),
                     [](const Edit& a, const Edit& b) { return a.begin < b.begin; });
    std::string result;
    std::size_t copied = 0;
    for (const Edit& edit : edits_) {
        if (edit.begin < copied)
            continue; // inside a declaration that is replaced
        result += text_.substr(copied, edit.begin - copied);
        result += edit.replacement;
        copied = edit.begin + edit.length;
    }
    return result + std::string(text_.substr(copied));
}

} // namespace launch_rewriter
