#include "rewriter/passes.hpp"

#include <algorithm>

namespace launch_rewriter {
namespace {

bool opens_switch(const Source& source, std::size_t brace)
{
    std::size_t i = brace - 2;
    while (source.is(brace - 1, ")") && !source.is_boundary(i) && source.closing(i) != brace - 1)
        --i;
    return source.is(brace - 1, ")") && source.is(i - 1, "switch");
}

/// False for the braces of classes, enumerations and initialisers.
bool opens_block(const Source& source, std::size_t brace)
{
    if (!source.is_any(brace - 1, {")", ";", "{", "}", ":", "else", "do", "try", "mutable"}))
        return false;
    for (std::size_t i = brace - 1; !source.is_any(i, {";", "{", "}"}) && !source.is_boundary(i);
         --i)
        if (source.is_any(i, {"struct", "class", "union", "enum"}))
            return false;
    return true;
}

/// The search in one function.
class LocalArrays
{
  public:
    /// The function's parameters stand behind `parameters`, its body between `open` and `close`.
    LocalArrays(const Source& source, std::size_t parameters, std::size_t open, std::size_t close)
        : source_(source), close_(close)
    {
        // What calls a function may give it a constant.
        note_parameters(parameters, open,
                        source.holds(parameters, open, "__global__") ? Known::never
                                                                     : Known::perhaps);
        note_variables(open);
    }

    [[nodiscard]] const std::vector<LocalArray>& found_in(std::size_t open)
    {
        if (!source_.holds(open, close_, "goto")) // which may jump across a declaration, but not
            block(open, close_);                  // across an initialisation
        return found_;
    }

  private:
    // --- what is known at compile time ---

    /// Whether a compiler knows a value, after it has inlined functions and unrolled loops.
    enum class Known
    {
        surely,
        perhaps,
        never
    };

    void note(std::string_view variable, Known known)
    {
        Known& noted = run_time_.emplace(variable, known).first->second;
        noted = std::max(noted, known);
    }

    /// The last word before a comma, a default or the end.
    void note_parameters(std::size_t first, std::size_t last, Known known)
    {
        for (std::size_t i = first; i < last; ++i)
            if (source_.is_word(i) && source_.is_any(i + 1, {",", ")", "=", "["}))
                note(source_[i].text, known);
    }

    /// Variables of the function. That of a loop is known if nothing unknown is in the loop's head.
    void note_variables(std::size_t open)
    {
        for (std::size_t i = open; i < close_; ++i) {
            if (source_.is(i, "for") && source_.is(i + 1, "(")) {
                note_loop(i);
                i = source_.closing(i + 1);
            } else if (source_.is(i, "constexpr")) {
                while (i < close_ && !source_.is(i, ";"))
                    ++i;
            } else if (declares_variable(i)) {
                note(source_[i].text, std::max(Known::perhaps, value_behind(i)));
            } else if (run_time_.count(source_[i].text) != 0 && source_.is(i + 1, "=")) {
                note(source_[i].text, value_behind(i));
            }
        }
    }

    /// What is known of `= value;`, `(value)` or `{value}` behind a name.
    [[nodiscard]] Known value_behind(std::size_t name) const
    {
        std::size_t last = name + 1;
        while (last < close_ && !source_.is_any(last, {";", ","}))
            last = source_.is_any(last, {"(", "{", "["}) ? source_.closing(last) + 1 : last + 1;
        return known(name + 1, last);
    }

    /// True for the name in `const T* name = ...`, from the start of the statement on.
    [[nodiscard]] bool declares_variable(std::size_t name) const
    {
        if (!source_.is_word(name) || !source_.is_any(name + 1, {"=", ";", "{", ",", "("}))
            return false;
        std::size_t i = name - 1;
        while (
            (source_.is_word(i) && !source_.is_any(i, {"return", "else", "do", "goto", "new"})) ||
            source_.is_any(i, {"::", "*", "&", "<", ">"}))
            --i;
        return i != name - 1 && source_.is_word(i + 1) && source_.is_any(i, {";", "{", "}"});
    }

    void note_loop(std::size_t keyword)
    {
        const std::size_t end = source_.closing(keyword + 1);
        // `k < 4 && more` does not keep a loop from being unrolled, so a head says at most perhaps.
        const Known head = keeps_its_loop(source_, keyword)
                               ? Known::never
                               : std::min(Known::perhaps, known(keyword + 2, end));
        if (head == Known::surely)
            return;
        for (std::size_t i = keyword + 2; i < end && !source_.is(i, ";"); ++i)
            if (source_.is_word(i) && source_.is_any(i + 1, {"=", ":", "{"}))
                note(source_[i].text, head);
    }

    /// Never, if the expression has a value that only the running thread can know.
    [[nodiscard]] Known known(std::size_t first, std::size_t last) const
    {
        Known all = Known::surely;
        for (std::size_t i = first; i < last; ++i) {
            const bool call =
                source_.is(i, "(") && source_.is_word(i - 1) && !source_.is(i - 1, "sizeof");
            if (source_.is_any(i, {"threadIdx", "blockIdx", "blockDim", "gridDim"}))
                return Known::never;
            if (call || source_.is(i, "["))
                all = std::max(all, Known::perhaps);
            if (!source_.is_word(i) || source_.is_any(i - 1, {"::", ".", "->"}))
                continue;
            if (const auto noted = run_time_.find(source_[i].text); noted != run_time_.end())
                all = std::max(all, noted->second);
        }
        return all;
    }

    // --- declarations ---

    /// The statements between the braces `open` and `end`.
    void block(std::size_t open, std::size_t end)
    {
        const bool jumps = opens_switch(source_, open); // across declarations, from case to case
        std::size_t before = open; // but for directives, those that tell of lines among them
        for (std::size_t i = open + 1; i < end; ++i) {
            if (source_.is(i, "#")) {
                i = end_of_directive(i);
                continue;
            }
            if (source_.is_any(before, {"{", "}", ";"}) && !jumps)
                note_declaration(i, end);
            if (source_.is_any(i, {"(", "["})) {
                i = source_.closing(i);
            } else if (source_.is(i, "{")) {
                const std::size_t last = source_.closing(i);
                if (opens_block(source_, i))
                    block(i, last);
                i = last;
            }
            before = i;
        }
    }

    [[nodiscard]] std::size_t end_of_directive(std::size_t hash) const
    {
        int barriers = source_.is(hash + 1, "define") ? 2 : 1;
        std::size_t i = hash;
        while (i < close_ && (barriers -= source_.is_boundary(i)) > 0)
            ++i;
        return i;
    }

    /// Notes the arrays that the statement at `first` of the block that ends at `end` declares.
    void note_declaration(std::size_t first, std::size_t end)
    {
        const std::size_t name = first_array(first);
        if (name == 0)
            return;
        std::vector<std::size_t> names = {name};
        std::size_t i = name + 1;
        for (; i < end && !source_.is(i, ";"); ++i) {
            if (source_.is_boundary(i) || source_.is(i, "#"))
                return;
            if (source_.is(i, ",") && source_.is_word(i + 1) && source_.is(i + 2, "["))
                names.push_back(i + 1);
            if (source_.is_any(i, {"(", "[", "{"}))
                i = source_.closing(i);
        }
        for (const std::size_t declared : names) {
            const std::string_view text = source_[declared].text;
            const bool used_at_once = source_.holds(declared + 1, i, text);
            if (i >= end || used_at_once)
                continue;
            const bool is_array = source_.is(declared + 1, "[");
            const Known index = indexes_of(text, i, end, is_array);
            if (index == Known::never || (index == Known::perhaps && is_array))
                found_.push_back({declared, i, index == Known::never});
        }
    }

    /// The name of the first array that a plain declaration declares: words of a type, a name, `[`.
    [[nodiscard]] std::size_t first_array(std::size_t first) const
    {
        std::size_t i = first;
        while (source_.is_any(i, {"alignas", "__align__"}) && source_.is(i + 1, "("))
            i = source_.closing(i + 1) + 1;
        const std::size_t type = i;
        for (; i < close_; ++i) {
            const bool excluded = source_.is_any(
                i, {"return", "using",        "typedef",    "extern",       "static", "constexpr",
                    "const",  "thread_local", "__shared__", "__constant__", "goto",   "case",
                    "delete", "new",          "throw",      "else",         "do",     "struct",
                    "class",  "union",        "enum",       "template",     "asm",    "operator",
                    "auto",   "friend"});
            if (excluded || !(source_.is_word(i) || source_.is_any(i, {"::", "<", ">", ","}) ||
                              source_[i].kind == Kind::literal))
                return 0;
            // A name without `[` may be that of a class, or of a type that is an array.
            if (source_.is_word(i) && source_.is_any(i + 1, {"[", ";", "=", "{"})) {
                const bool typed = i > type && (source_.is_word(i - 1) || source_.is(i - 1, ">"));
                return typed ? i : 0;
            }
        }
        return 0;
    }

    /// What is known of all indexes of the variable, of the arrays that are its members, and, if it
    /// is one itself, of what pointers to its elements are given.
    [[nodiscard]] Known indexes_of(std::string_view name, std::size_t first, std::size_t last,
                                   bool is_array = true) const
    {
        Known all = Known::surely;
        for (std::size_t i = first; i < last; ++i) {
            if (!source_.is(i, name) || source_.is_any(i - 1, {".", "->", "::"}))
                continue;
            std::size_t open = i + 1;
            while (source_.is(open, ".") && source_.is_word(open + 1))
                open += 2;
            if (is_array && open == i + 1 && (!source_.is(open, "[") || source_.is(i - 1, "&")))
                all = std::max(all, pointed_at(i, last));
            for (; source_.is(open, "["); open = source_.closing(open) + 1)
                all = std::max(all, known(open + 1, source_.closing(open)));
        }
        return all;
    }

    /// Of an array's name without an index, or behind `&`: what is known of the indexes that the
    /// pointer is given which it becomes, `int* p = name + i` or `= odd ? &name[0] : &name[1]`, or
    /// in the function that it is handed to.
    [[nodiscard]] Known pointed_at(std::size_t name, std::size_t last) const
    {
        if (source_.is_any(name + 1, {"+", "-"}))
            return known(name + 2, end_of_expression(name + 2));
        std::size_t equals = name - 1, open = name - 1, number = 0;
        while (!source_.is_any(equals, {"=", ";", ",", "(", ")", "{", "}"}))
            --equals;
        if (source_.is(equals, "=") && source_.is_word(equals - 1) && source_.is(equals - 2, "*"))
            return std::max(known(equals + 1, name),
                            indexes_of(source_[equals - 1].text, name + 1, last));
        for (; source_.is_any(open, {",", "&"}) || source_.is_word(open); --open)
            number += source_.is(open, ",");
        return source_.is(open, "(") && source_.is_word(open - 1)
                   ? indexes_in(source_[open - 1].text, number)
                   : Known::surely;
    }

    [[nodiscard]] std::size_t end_of_expression(std::size_t i) const
    {
        while (i < close_ && !source_.is_any(i, {";", ",", ")", "]"}))
            i = source_.is_any(i, {"(", "["}) ? source_.closing(i) + 1 : i + 1;
        return i;
    }

    /// What is known of the indexes of a function's parameter, by its number.
    [[nodiscard]] Known indexes_in(std::string_view function, std::size_t number) const
    {
        for (std::size_t i = 0; i + 1 < source_.size(); ++i) {
            const std::size_t close = source_.is(i, function) ? source_.closing(i + 1) : 0;
            if (!source_.is(i + 1, "(") || !source_.is(close, ")") || !source_.is(close + 1, "{"))
                continue;
            std::size_t at = i + 2;
            for (; number > 0 && at < close; ++at)
                number -= source_.is(at, ",");
            while (at < close && !source_.is_any(at + 1, {",", "[", "=", ")"}))
                ++at;
            if (source_.is(at, "*") || !source_.is_word(at))
                return Known::surely;
            const LocalArrays inside(source_, i + 1, close + 1, source_.closing(close + 1));
            return std::min(Known::perhaps,
                            inside.indexes_of(source_[at].text, close + 1, inside.close_));
        }
        return Known::surely;
    }

    const Source& source_;
    std::size_t close_;                          ///< of the function's body
    std::map<std::string_view, Known> run_time_; ///< variables
    std::vector<LocalArray> found_;
};

} // namespace

bool keeps_its_loop(const Source& source, std::size_t keyword)
{
    return keyword >= 5 && source.is_boundary(keyword - 1) && source[keyword - 2].text == "1" &&
           source.is(keyword - 3, "unroll") && source.is(keyword - 4, "pragma");
}

std::vector<LocalArray> local_arrays(const Source& source, std::size_t specifier, std::size_t open,
                                     std::size_t close)
{
    return LocalArrays(source, specifier, open, close).found_in(open);
}

} // namespace launch_rewriter
