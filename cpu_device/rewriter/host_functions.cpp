#include "rewriter/passes.hpp"

namespace launch_rewriter {
namespace {

/// True of code that may use classes of the C++ library, or others with members. What is
/// instrumented is not inlined into what is not, and a call for each element costs more than
/// is gained.
bool calls_inline_functions(const Source& source, std::size_t first, std::size_t last)
{
    for (std::size_t i = first; i < last; ++i) {
        const bool of_std = source.is(i, "std") && !source.is(i + 2, "size_t");
        const bool member = source.is_any(i, {".", "->"}) && source.is(i + 2, "(");
        const bool range = source.is(i, "for") && source.holds(i, source.closing(i + 1), ":");
        if (of_std || member || range ||
            source.is_any(i, {"vector", "string", "array", "map", "cout", "cerr", "cin"}))
            return true;
    }
    return false;
}

} // namespace

std::optional<HostFunction> host_function(const Source& source, std::size_t open)
{
    std::size_t first = open;
    while (!source.is_boundary(first - 1) && !source.is_any(first - 1, {";", "{", "}"}))
        --first;
    if (source.is(first, "template"))
        for (int depth = 0; first < open;) {
            ++first;
            depth += source.is(first, "<") - source.is(first, ">");
            if (depth == 0 && source.is(first++, ">"))
                break;
        }
    else if (source.is(first, "extern") && source.is_kind(first + 1, Kind::literal))
        first += 2;
    std::size_t name = first;
    while (name < open && !source.is(name + 1, "("))
        ++name;
    // A constructor, a member or an operator may belong to both sides. A brace among arguments
    // opens no body.
    if (name >= open || name == first || !source.is_word(name) || source.is(name - 1, "::") ||
        source.closing(name + 1) > open)
        return std::nullopt;
    for (std::size_t i = first; i < open; ++i)
        if (source.is_any(i, {"__device__", "__global__", "constexpr", "consteval", "=", "class",
                              "struct", "union", "enum", "operator", "[", "requires",
                              "__attribute__", "decltype", "alignas"}))
            return std::nullopt;
    if (calls_inline_functions(source, name, source.closing(open)))
        return std::nullopt;
    return HostFunction{first, name};
}

} // namespace launch_rewriter
