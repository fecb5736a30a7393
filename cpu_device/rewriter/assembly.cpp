#include "rewriter/passes.hpp"

#include <regex.h>

#include <array>

namespace launch_rewriter {
namespace {

/// The operands behind a `:`, `"=r"(x), "l"(p)`: what stands in their brackets.
std::vector<std::string> operands(const Source& source, std::size_t first, std::size_t last)
{
    std::vector<std::string> found;
    for (std::size_t i = first; i < last; ++i)
        if (source.is(i, "(")) {
            const std::size_t close = source.closing(i);
            found.push_back(source.text_of(i, close));
            i = close;
        }
    return found;
}

/// An extended regular expression. That of POSIX: std::regex takes seconds to compile.
class Pattern
{
  public:
    explicit Pattern(const char* text) { regcomp(&pattern_, text, REG_EXTENDED); }
    ~Pattern() { regfree(&pattern_); }
    Pattern& operator=(Pattern&&) = delete;

    /// What the group of that number matches in `text`; empty if not all of it fits.
    [[nodiscard]] std::string group(const std::string& text, std::size_t number) const
    {
        std::array<regmatch_t, 8> groups{};
        if (regexec(&pattern_, text.c_str(), groups.size(), groups.data(), 0) != 0)
            return {};
        const auto begin = static_cast<std::size_t>(groups[number].rm_so);
        return text.substr(begin, static_cast<std::size_t>(groups[number].rm_eo) - begin);
    }

  private:
    regex_t pattern_{};
};

} // namespace

bool rewrite_assembly(Source& source, std::size_t keyword)
{
    std::size_t open = keyword + 1;
    while (source.is_word(open))
        ++open;
    const std::size_t close = source.closing(open);
    if (!source.is(open, "(") || !source.is(close, ")"))
        return false;
    std::string code;
    std::size_t i = open + 1;
    for (; source.is_kind(i, Kind::literal); ++i)
        code += std::string(source[i].text.substr(1, source[i].text.size() - 2));
    const std::vector<std::string> arguments = operands(source, i, close);

    static const Pattern move(
        R"(^[[:space:]]*mov\.[usb](32|64)[[:space:]]+%0[[:space:]]*,[[:space:]]*%%?([a-z0-9_.]+)[[:space:]]*;?[[:space:]]*(\\n|\\t)*$)");
    static const Pattern load(
        R"(^[[:space:]]*(ld|st)\.(volatile\.)?global\.([a-zA-Z0-9_:.]+\.)?[usbf](8|16|32|64)[[:space:]]+(%0[[:space:]]*,[[:space:]]*\[%1\]|\[%0\][[:space:]]*,[[:space:]]*%1)[[:space:]]*;?[[:space:]]*(\\n|\\t)*$)");
    const std::string special = move.group(code, 2);
    const std::string moved = load.group(code, 5);
    std::string text;
    if (!special.empty() && arguments.size() == 1) {
        text = arguments[0] + " = static_cast<std::remove_reference_t<decltype(" + arguments[0] +
               ")>>(::cpu_device::special_register(\"" + special + "\"))";
    } else if (!moved.empty() && arguments.size() == 2) {
        // The operand that is no address has the type of what moves.
        const bool is_load = moved.front() == '%';
        const std::string& value = arguments[is_load ? 0 : 1];
        const std::string& address = arguments[is_load ? 1 : 0];
        const std::string memory = "*reinterpret_cast<std::conditional_t<" +
                                   std::string(is_load ? "true" : "false") +
                                   ", const std::decay_t<decltype(" + value +
                                   ")>*, std::decay_t<decltype(" + value + ")>*>>(" + address + ")";
        text = is_load ? value + " = " + memory : memory + " = " + value;
    } else {
        return false;
    }
    source.replace(keyword, close, text);
    return true;
}

bool is_empty_assembly(const Source& source, std::size_t i)
{
    while (source.is_word(i))
        ++i;
    return source.is(i, "(") && source.is_kind(i + 1, Kind::literal) &&
           source[i + 1].text == "\"\"" && !source.is_kind(i + 2, Kind::literal);
}

} // namespace launch_rewriter
