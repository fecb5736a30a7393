/// \file
/// A CUDA source as tokens.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace launch_rewriter {

enum class Kind
{
    word,    ///< identifier or keyword
    literal, ///< number, character, string or raw string
    symbol,  ///< `<<<`, `<<`, `::`, `->`, or one character
    barrier  ///< nothing reaches across: end of a directive, end of a macro's parameter list
};

struct Token
{
    Kind kind;
    std::size_t begin;
    std::string_view text;

    [[nodiscard]] std::size_t end() const { return begin + text.size(); }
    [[nodiscard]] bool is(std::string_view expected) const
    {
        return kind != Kind::literal && text == expected;
    }
};

/// Splits a source into tokens; white space, comments and `#if 0` groups leave none.
[[nodiscard]] std::vector<Token> tokens_of(std::string_view source);

} // namespace launch_rewriter
