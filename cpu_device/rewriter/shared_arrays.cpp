#include "rewriter/passes.hpp"

namespace launch_rewriter {
namespace {

/// The array of the declaration from token `first` to its `;`, `last`.
DynamicArray dynamic_array(const Source& source, std::size_t shared, std::size_t first,
                           std::size_t last)
{
    DynamicArray array;
    std::size_t i = first;
    for (; i < last && !source.is(i, "["); ++i) {
        const bool alignment = source.is_any(i, {"__align__", "alignas", "__attribute__"});
        if (alignment && source.is(i + 1, "("))
            i = source.closing(i + 1); // the block's memory is aligned for every type
        else if (source.is_word(i) && source.is(i + 1, "["))
            array.name = source[i].text;
        else if (!source.is_any(i, {"extern", "__shared__"}))
            array.type += (array.type.empty() ? "" : " ") + std::string(source[i].text);
    }
    bool several = false;
    for (; i < last; ++i) {
        several = several || source.is(i, ",");
        array.extents += source[i].text;
    }
    if (array.name.empty() || array.type.empty() || several || !source.is(last, ";")) {
        source.refuse(shared, "this 'extern __shared__' declaration is not supported; declare one "
                              "array at a time, as in 'extern __shared__ float tile[];'.");
    }
    return array;
}

} // namespace

std::string DynamicArray::as_reference() const
{
    return "[[maybe_unused]] " + type + " (&" + name + ")" + extents + " = *static_cast<" + type +
           " (*)" + extents + ">(::cpu_device::dynamic_shared());";
}

std::optional<DynamicArray> rewrite_shared_array(Source& source, std::size_t shared, bool inside)
{
    std::size_t first = shared;
    while (source.is_word(first - 1)) // `extern`, or `extern volatile`, before it
        --first;
    std::size_t last = shared;
    while (!source.is_boundary(last) && !source.is(last, ";"))
        ++last;
    const auto declared = [&](std::string_view specifier) {
        std::size_t i = first;
        while (i < last && !source.is(i, specifier))
            ++i;
        return i;
    };
    if (declared("extern") != last) {
        DynamicArray array = dynamic_array(source, shared, first, last);
        source.replace(first, last, inside ? array.as_reference() : "");
        return array;
    }
    if (const std::size_t i = declared("static"); i != last) {
        // The macro __shared__ says `static` itself.
        source.replace(i, i, "");
    }
    // An array may be read as vectors where nvcc happens to put it: at a multiple of 16 bytes.
    const bool aligned = declared("alignas") != last || declared("__align__") != last ||
                         declared("__attribute__") != last || source.is(first - 1, ")");
    if (declared("[") != last && !aligned)
        source.insert_behind(shared, " __attribute__((aligned(16)))");
    if (const std::size_t i = declared("alignas"); i != last && i != first) {
        // Between the words of a type it would belong to that type.
        const std::size_t close = source.closing(i + 1);
        source.insert_before(first, source.text_of(i, close) + " ");
        source.replace(i, close, "");
    }
    return std::nullopt;
}

} // namespace launch_rewriter
