#include "rewriter/passes.hpp"

namespace launch_rewriter {

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
