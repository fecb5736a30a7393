#include "rewriter/source.hpp"

#include <algorithm>
#include <cctype>
#include <string>
#include <utility>

namespace launch_rewriter {
namespace {

/// A byte of a letter beyond ASCII counts.
bool continues_word(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' ||
           static_cast<unsigned char>(c) >= 0x80;
}

class Lexer
{
  public:
    explicit Lexer(std::string_view source) : source_(source) {}

    std::vector<Token> tokens()
    {
        while (at_ < source_.size())
            next();
        end_directive();
        return std::move(tokens_);
    }

  private:
    [[nodiscard]] char peek(std::size_t ahead = 0) const
    {
        return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0';
    }
    [[nodiscard]] bool looking_at(std::string_view text) const
    {
        return source_.substr(at_, text.size()) == text;
    }
    void add(Kind kind, std::size_t length)
    {
        tokens_.push_back({kind, at_, source_.substr(at_, length), of_system_});
        at_ += length;
        line_start_ = false;
    }

    void next()
    {
        if (looking_at("\\\n") || looking_at("\\\r\n")) {
            at_ += peek(1) == '\n' ? 2 : 3;
        } else if (peek() == '\n') {
            ++at_;
            end_directive();
            line_start_ = true;
        } else if (std::isspace(static_cast<unsigned char>(peek()))) {
            ++at_;
        } else if (looking_at("//")) {
            skip_line();
        } else if (looking_at("/*")) {
            const std::size_t close = source_.find("*/", at_ + 2);
            at_ = close == std::string_view::npos ? source_.size() : close + 2;
        } else if (const auto mark = mark_here()) {
            of_system_ = mark->of_system; // what was broken by it goes on behind it
            skip_line();
        } else if (peek() == '#' && line_start_) {
            directive_ = tokens_.size();
            in_directive_ = true;
            add(Kind::symbol, 1);
        } else if (const std::size_t raw = raw_string_prefix(); raw != 0) {
            raw_string(raw);
        } else if (peek() == '"' || peek() == '\'') {
            add(Kind::literal, quoted_length());
        } else if (std::isdigit(static_cast<unsigned char>(peek())) ||
                   (peek() == '.' && std::isdigit(static_cast<unsigned char>(peek(1))))) {
            number();
        } else if (word_length() != 0) {
            word();
        } else {
            symbol();
        }
    }

    [[nodiscard]] std::optional<LineMark> mark_here() const
    {
        return line_start_ && peek() == '#'
                   ? line_mark(source_.substr(at_, source_.find('\n', at_) - at_))
                   : std::nullopt;
    }

    /// To the end of the line; a backslash before the newline continues it.
    void skip_line()
    {
        while (at_ < source_.size() && peek() != '\n')
            at_ += looking_at("\\\n") ? 2 : looking_at("\\\r\n") ? 3 : 1;
    }

    /// Length of `R"`, `u8R"` and the like at the current position, else 0.
    [[nodiscard]] std::size_t raw_string_prefix() const
    {
        for (const std::string_view prefix : {"R\"", "LR\"", "uR\"", "UR\"", "u8R\""})
            if (looking_at(prefix))
                return prefix.size();
        return 0;
    }

    void raw_string(std::size_t prefix)
    {
        const std::size_t open = source_.find('(', at_ + prefix);
        if (open == std::string_view::npos) {
            add(Kind::literal, source_.size() - at_);
            return;
        }
        const std::string delimiter(source_.substr(at_ + prefix, open - at_ - prefix));
        const std::string closing = ")" + delimiter + "\"";
        const std::size_t close = source_.find(closing, open);
        const std::size_t end =
            close == std::string_view::npos ? source_.size() : close + closing.size();
        add(Kind::literal, end - at_);
    }

    /// A quote left open (an apostrophe in an `#error` line) ends with its line.
    [[nodiscard]] std::size_t quoted_length() const
    {
        std::size_t length = 1;
        while (peek(length) != peek() && peek(length) != '\n' && at_ + length < source_.size())
            length += peek(length) == '\\' ? 2 : 1;
        return std::min(peek(length) == '\n' ? length : length + 1, source_.size() - at_);
    }

    /// Of a name: the preprocessor leaves a letter beyond ASCII as \U000000f6.
    [[nodiscard]] std::size_t word_length() const
    {
        std::size_t length = 0;
        while (continues_word(peek(length)) ||
               (peek(length) == '\\' && (peek(length + 1) == 'u' || peek(length + 1) == 'U')))
            ++length;
        return length;
    }

    void word()
    {
        add(Kind::word, word_length());
        // `#define LAUNCH(k) (k)<<<1, 1>>>()`: the body does not belong to the parameter list.
        const bool names_macro = in_directive_ && tokens_.size() == directive_ + 3 &&
                                 tokens_[directive_ + 1].is("define");
        if (names_macro) {
            if (peek() == '(') {
                const std::size_t close = source_.find(')', at_);
                at_ = close == std::string_view::npos ? source_.size() : close + 1;
            }
            add(Kind::boundary, 0);
        }
    }

    void number()
    {
        std::size_t length = 1;
        const auto is_exponent = [](char c) {
            return c == 'e' || c == 'E' || c == 'p' || c == 'P';
        };
        while (continues_word(peek(length)) || peek(length) == '.' ||
               (peek(length) == '\'' && continues_word(peek(length + 1))) ||
               ((peek(length) == '+' || peek(length) == '-') && is_exponent(peek(length - 1))))
            ++length;
        add(Kind::literal, length);
    }

    void symbol()
    {
        for (const std::string_view text : {"<<<", "<<", "::", "->"}) {
            if (looking_at(text)) {
                add(Kind::symbol, text.size());
                return;
            }
        }
        add(Kind::symbol, 1);
    }

    void end_directive()
    {
        if (!in_directive_)
            return;
        in_directive_ = false;
        add(Kind::boundary, 0);
    }

    std::string_view source_;
    std::size_t at_ = 0;
    bool line_start_ = true;
    bool of_system_ = false;
    bool in_directive_ = false;
    std::size_t directive_ = 0; ///< index of the `#` that opened the directive
    std::vector<Token> tokens_;
};

} // namespace

std::vector<Token> tokens_of(std::string_view source)
{
    return Lexer(source).tokens();
}

} // namespace launch_rewriter
