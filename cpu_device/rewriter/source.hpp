/// \file
/// A CUDA source, what stands where in it, and the changes that are to be made.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace launch_rewriter {

enum class Kind
{
    word,    ///< identifier or keyword
    literal, ///< number, character, string or raw string
    symbol,  ///< `<<<`, `<<`, `::`, `->`, or one character
    boundary ///< nothing reaches across: end of a directive, end of a macro's parameter list
};

struct Token
{
    Kind kind;
    std::size_t begin;
    std::string_view text;
    bool of_system = false; ///< it stands in a header of the compiler, the C library or CUDA

    [[nodiscard]] std::size_t end() const { return begin + text.size(); }
    [[nodiscard]] bool is(std::string_view expected) const
    {
        return kind != Kind::literal && text == expected;
    }
};

/// Splits a source into tokens; white space, comments and the marks of a preprocessor leave none.
[[nodiscard]] std::vector<Token> tokens_of(std::string_view source);

/// Something that the CPU device cannot run; what() is one sentence that begins with file:line.
class Unsupported : public std::runtime_error
{
  public:
    using std::runtime_error::runtime_error;
};

/// A line that a preprocessor leaves to tell where the next one stood.
struct LineMark
{
    std::size_t line = 0;
    std::string file;
    bool of_system = false; ///< Token::of_system
};
/// That of `# 12 "file.cu" 1 3` or `#line 12 "file.cu"`; nothing for any other line.
[[nodiscard]] std::optional<LineMark> line_mark(std::string_view line);

/// The places are numbers of tokens. Those before the first and behind the last hold nothing: they
/// are boundaries.
class Source
{
  public:
    /// `file` is the name used in messages. Both must outlive the object.
    Source(std::string_view text, const std::string& file);

    [[nodiscard]] std::size_t size() const { return tokens_.size(); }
    [[nodiscard]] const Token& operator[](std::size_t i) const { return tokens_[i]; }
    [[nodiscard]] bool is(std::size_t i, std::string_view text) const
    {
        return i < tokens_.size() && tokens_[i].is(text); // i - 1 of 0 wraps and is out of range
    }
    [[nodiscard]] bool is_any(std::size_t i, std::initializer_list<std::string_view> texts) const;
    [[nodiscard]] bool is_kind(std::size_t i, Kind kind) const
    {
        return i < tokens_.size() && tokens_[i].kind == kind;
    }
    [[nodiscard]] bool is_word(std::size_t i) const { return is_kind(i, Kind::word); }
    [[nodiscard]] bool is_boundary(std::size_t i) const
    {
        return i >= tokens_.size() || tokens_[i].kind == Kind::boundary;
    }
    /// True if a token from `first` to before `last` has this text.
    [[nodiscard]] bool holds(std::size_t first, std::size_t last, std::string_view text) const;
    /// What the tokens `first` to `last` are in the text, with what is between them.
    [[nodiscard]] std::string text_of(std::size_t first, std::size_t last) const
    {
        const std::size_t begin = tokens_[first].begin;
        return std::string(text_.substr(begin, tokens_[last].end() - begin));
    }
    /// The bracket that closes the one at `open`; size() if none does.
    [[nodiscard]] std::size_t closing(std::size_t open) const;

    /// Throws Unsupported with the place of token `i`: its line, or, behind the mark of a
    /// preprocessor (`# 12 "file.cu"`), the line and the file that this mark says.
    [[noreturn]] void refuse(std::size_t i, const std::string& sentence) const;

    void insert_before(std::size_t i, std::string_view text) { edit(tokens_[i].begin, 0, text); }
    void insert_behind(std::size_t i, std::string_view text) { edit(tokens_[i].end(), 0, text); }
    /// Replaces the tokens `first` to `last` and what is between them, but for ends of lines.
    void replace(std::size_t first, std::size_t last, std::string_view text);
    [[nodiscard]] std::string edited() const;

  private:
    struct Edit
    {
        std::size_t begin;
        std::size_t length;
        std::string replacement;
    };
    void edit(std::size_t begin, std::size_t length, std::string_view text)
    {
        edits_.push_back({begin, length, std::string(text)});
    }
    /// Where token `i` stands: refuse().
    [[nodiscard]] LineMark place_of(std::size_t i) const;

    std::string_view text_;
    const std::string& file_;
    std::vector<Token> tokens_;
    std::vector<std::size_t> closing_; ///< of each bracket that opens
    std::vector<Edit> edits_;
};

} // namespace launch_rewriter
