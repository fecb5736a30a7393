#include "rewriter/passes.hpp"

namespace launch_rewriter {
namespace {

/// The bracket that opens the `)`, `]` or `>` at `close`.
std::size_t opening(const Source& source, std::size_t close)
{
    const bool angles = source.is(close, ">");
    int depth = 0;
    for (std::size_t i = close; !source.is_boundary(i); --i) {
        if (angles && i != close && source.is_any(i, {")", "]"})) {
            i = opening(source, i);
            continue;
        }
        depth += source.is_any(i, {")", "]"}) || (angles && source.is(i, ">"));
        // A template's `<` follows its name; `k<(a) < b>` holds a comparison as well.
        depth -=
            source.is_any(i, {"(", "["}) || (angles && source.is(i, "<") && source.is_word(i - 1));
        if (depth == 0)
            return i;
    }
    source.refuse(close, "the bracket '" + std::string(source[close].text) +
                             "' before a kernel launch is never opened.");
}

bool is_keyword(const Source& source, std::size_t i)
{
    return source.is_any(
        i, {"return", "else", "do", "case", "if", "while", "for", "switch", "constexpr"});
}

/// True for the `)` of `if (c) (*k)<<<1, 1>>>()`.
bool ends_condition(const Source& source, std::size_t i)
{
    return source.is(i, ")") && is_keyword(source, opening(source, i) - 1);
}

/// The first token of the expression in front of `<<<`: `ns::k<T>`, `table[i]`, `(*function)`.
std::size_t kernel_expression(const Source& source, std::size_t chevrons)
{
    std::size_t i = chevrons - 1;
    for (;;) {
        if (source.is_any(i, {")", "]"})) {
            const std::size_t open = opening(source, i);
            const bool called = source.is_any(open - 1, {")", "]", ">"}) ||
                                (source.is_word(open - 1) && !is_keyword(source, open - 1));
            if (!called || ends_condition(source, open - 1))
                return open;
            i = open - 1;
            continue;
        }
        if (source.is(i, ">"))
            i = opening(source, i) - 1;
        if (!source.is_word(i))
            source.refuse(chevrons, "there is no kernel name before '<<<'.");
        while (source.is(i - 1, "template"))
            --i;
        const bool qualified = source.is_any(i - 1, {"::", ".", "->"});
        if (!qualified)
            return i;
        const std::size_t before = i - 2;
        const bool global = source.is(i - 1, "::") && !source.is(before, ">") &&
                            (!source.is_word(before) || is_keyword(source, before));
        if (global)
            return i - 1;
        i = before;
    }
}

/// The first `>` of the `>>>` that closes the launch: the last three of a run of `>` outside
/// all brackets with the argument list (or the end of a macro) behind it.
std::size_t closing_chevrons(const Source& source, std::size_t chevrons)
{
    for (std::size_t i = chevrons + 1; !source.is_boundary(i) && !source.is(i, ";"); ++i) {
        if (source.is_any(i, {"(", "[", "{"})) {
            i = source.closing(i);
            continue;
        }
        std::size_t run = 0;
        while (source.is(i + run, ">")) // some formatters write `>> >`
            ++run;
        if (run >= 3 && (source.is(i + run, "(") || source.is_boundary(i + run)))
            return i + run - 3;
        i += run == 0 ? 0 : run - 1;
    }
    source.refuse(chevrons, "the launch opened by '<<<' has no '>>>' followed by its arguments.");
}

/// The `>` that closes the `<` of template arguments.
std::size_t closing_angle(const Source& source, std::size_t open)
{
    int depth = 0;
    for (std::size_t i = open; !source.is_boundary(i); ++i) {
        i = source.is(i, "(") ? source.closing(i) : i;
        depth += source.is(i, "<");
        depth -= source.is(i, ">");
        if (depth == 0)
            return i;
    }
    source.refuse(open, "the '<' after the kernel name is never closed.");
}

} // namespace

std::size_t chevron_tokens(const Source& source, std::size_t first)
{
    if (source.is(first, "<<<"))
        return 1;
    if ((source.is(first, "<<") && source.is(first + 1, "<")) ||
        (source.is(first, "<") && source.is(first + 1, "<<")))
        return 2;
    return 0;
}

void rewrite_launch(Source& source, std::size_t chevrons, const ParameterNames& parameters)
{
    const std::size_t kernel = kernel_expression(source, chevrons);
    const std::size_t close = closing_chevrons(source, chevrons);
    source.insert_before(kernel, "CPU_DEVICE_KERNEL(");
    std::size_t name = chevrons - 1;
    name = source.is(name, ">") ? opening(source, name) - 1 : name;
    const auto known = parameters.find(source[name].text);
    const bool named = known != parameters.end() && !known->second.empty();
    source.replace(chevrons, chevrons + chevron_tokens(source, chevrons) - 1,
                   named ? ").with_parameters(\"" + known->second + "\").on(" : ").on(");
    source.replace(close, close + 2, ")");
}

void rewrite_kernel_address(Source& source, std::size_t cast, const Names& kernels)
{
    const bool named = source.is(cast, "reinterpret_cast");
    std::size_t i = cast + (named ? 2 : 1);
    for (const std::string_view part : {"const", "void", "const", "*"})
        if (source.is(i, part))
            ++i;
        else if (part != "const")
            return;
    if (!source.is(i, named ? ">" : ")"))
        return;
    i += named ? 2 : 1; // `(` follows the `>`
    i += source.is(i, "&");
    const std::size_t name = i;
    while (source.is(i, "::") || source.is(i + 1, "::"))
        ++i;
    if (!source.is_word(i) || kernels.count(source[i].text) == 0)
        return;
    source.replace(cast, name - 1, "::cpu_device::kernel_address(");
    if (!named)
        source.insert_behind(source.is(i + 1, "<") ? closing_angle(source, i + 1) : i, ")");
}

bool is_shift(const Source& source, std::size_t i)
{
    const bool left = source.is(i, "<<") && chevron_tokens(source, i) == 0;
    const bool right = source.is(i, ">") && source.is(i + 1, ">") &&
                       source[i].end() == source[i + 1].begin && !source.is(i - 1, ">") &&
                       !source.is(i + 2, ">");
    const std::size_t count = left ? i + 1 : i + 2;
    if ((!left && !right) || source.is_any(i - 1, {"operator", "."}) ||
        source.is_any(count, {"=", ".", ")"}) || // `<<=`, `... <<`, `(T<U<int>>)`
        (source.is_kind(count, Kind::literal) &&
         !source.is_any(count + 1, {"+", "-", "*", "/", "%"})))
        return false;
    int angles = 0;
    int depth = 0;
    for (std::size_t j = i - 1; right && !source.is_boundary(j) && !source.is(j, ";"); --j) {
        if (source.is_any(j, {")", "]", "}"}))
            ++depth;
        else if (source.is_any(j, {"(", "[", "{"}) && depth-- == 0)
            break;
        if (depth != 0 || source.is(j + 1, "="))
            continue;
        angles += source.is(j, ">");
        if (source.is(j, "<") && angles-- == 0)
            return false;
    }
    return true;
}

} // namespace launch_rewriter
