#include "rewriter/assembly.hpp"

#include <regex>
#include <string>
#include <vector>

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

    static const std::regex move(
        R"(\s*mov\.[usb](32|64)\s+%0\s*,\s*%%?([a-z0-9_.]+)\s*;?\s*(\\n|\\t)*)");
    static const std::regex load(
        R"(\s*(?:ld|st)\.(?:volatile\.)?global\.(?:[a-zA-Z0-9_:.]+\.)?[usbf](?:8|16|32|64)\s+(%0\s*,\s*\[%1\]|\[%0\]\s*,\s*%1)\s*;?\s*(\\n|\\t)*)");
    std::smatch match;
    std::string text;
    if (std::regex_match(code, match, move) && arguments.size() == 1) {
        text = arguments[0] + " = static_cast<std::remove_reference_t<decltype(" + arguments[0] +
               ")>>(::cpu_device::special_register(\"" + match[2].str() + "\"))";
    } else if (std::regex_match(code, match, load) && arguments.size() == 2) {
        // The operand that is no address has the type of what moves.
        const bool is_load = match[1].str().front() == '%';
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

} // namespace launch_rewriter
