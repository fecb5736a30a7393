#include "rewriter/passes.hpp"

#include <algorithm>
#include <iterator>
#include <sstream>

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

/// `mov.u32`, `%0` and `%%laneid` of `mov.u32 %0, %%laneid;`.
std::vector<std::string> words_of(std::string code)
{
    for (const std::string_view separator : {"\\n", "\\t", ",", ";"})
        for (std::size_t at = 0; (at = code.find(separator)) != std::string::npos;)
            code.replace(at, separator.size(), " ");
    std::istringstream words(code);
    return {std::istream_iterator<std::string>(words), {}};
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

    const std::vector<std::string> words = words_of(code);
    if (words.size() != 3)
        return false;
    const auto begins = [&](std::initializer_list<std::string_view> names) {
        return std::ranges::any_of(
            names, [&](std::string_view name) { return words[0].starts_with(name); });
    };
    const bool is_load =
        begins({"ld.global.", "ld.volatile.global."}) && words[1] == "%0" && words[2] == "[%1]";
    const bool is_store =
        begins({"st.global.", "st.volatile.global."}) && words[1] == "[%0]" && words[2] == "%1";
    const bool reads_register =
        begins({"mov.u", "mov.s", "mov.b"}) && words[1] == "%0" && words[2].starts_with('%');
    std::string text;
    if (reads_register && arguments.size() == 1) {
        const std::string special = words[2].substr(words[2].find_first_not_of('%'));
        text = arguments[0] + " = static_cast<std::remove_reference_t<decltype(" + arguments[0] +
               ")>>(::cpu_device::special_register(\"" + special + "\"))";
    } else if ((is_load || is_store) && arguments.size() == 2) {
        // The operand that is no address has the type of what moves.
        const std::string& value = arguments[is_load ? 0 : 1];
        const std::string& address = arguments[is_load ? 1 : 0];
        const std::string memory = std::string("*reinterpret_cast<") +
                                   (is_load ? "const std::decay_t<" : "std::decay_t<") +
                                   "decltype(" + value + ")>*>(" + address + ")";
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
