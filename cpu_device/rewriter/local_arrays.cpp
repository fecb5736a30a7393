#include "rewriter/local_arrays.hpp"

#include <set>
#include <string_view>

namespace launch_rewriter {
namespace {

/// The search in one function.
class LocalArrays
{
  public:
    LocalArrays(const Source& source, std::size_t parameters, std::size_t open, std::size_t close)
        : source_(source), close_(close)
    {
        if (source.holds(open, close, "goto"))
            return; // it may jump across a declaration, but not across an initialisation
        note_parameters(parameters, open);
        note_variables(open);
        block(open, close);
    }

    [[nodiscard]] const std::vector<LocalArray>& found() const { return found_; }

  private:
    // --- what is known at compile time ---

    /// The last word before a comma, a default or the end.
    void note_parameters(std::size_t first, std::size_t last)
    {
        for (std::size_t i = first; i < last; ++i)
            if (source_.is_word(i) && source_.is_any(i + 1, {",", ")", "=", "["}))
                run_time_.insert(source_[i].text);
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
                run_time_.insert(source_[i].text);
            }
        }
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
        if (!keeps_its_loop(source_, keyword) && !unknown(keyword + 2, end))
            return;
        for (std::size_t i = keyword + 2; i < end && !source_.is(i, ";"); ++i)
            if (source_.is_word(i) && source_.is_any(i + 1, {"=", ":", "{"}))
                run_time_.insert(source_[i].text);
    }

    /// True if the expression has a value that only the running thread knows.
    [[nodiscard]] bool unknown(std::size_t first, std::size_t last) const
    {
        for (std::size_t i = first; i < last; ++i) {
            const bool call =
                source_.is(i, "(") && source_.is_word(i - 1) && !source_.is(i - 1, "sizeof");
            const bool built_in =
                source_.is_any(i, {"threadIdx", "blockIdx", "blockDim", "gridDim"});
            if (call || built_in || source_.is(i, "[") ||
                (source_.is_word(i) && !source_.is_any(i - 1, {"::", ".", "->"}) &&
                 run_time_.count(source_[i].text) != 0))
                return true;
        }
        return false;
    }

    // --- declarations ---

    /// The statements between the braces `open` and `end`.
    void block(std::size_t open, std::size_t end)
    {
        const bool jumps = opens_switch(open); // across declarations, from case to case
        for (std::size_t i = open + 1; i < end; ++i) {
            if (source_.is(i, "#")) {
                i = end_of_directive(i);
                continue;
            }
            if (source_.is_any(i - 1, {"{", "}", ";"}) && !jumps)
                note_declaration(i, end);
            if (source_.is_any(i, {"(", "["})) {
                i = source_.closing(i);
            } else if (source_.is(i, "{")) {
                const std::size_t last = source_.closing(i);
                if (opens_block(i))
                    block(i, last);
                i = last;
            }
        }
    }

    [[nodiscard]] std::size_t end_of_directive(std::size_t hash) const
    {
        int barriers = source_.is(hash + 1, "define") ? 2 : 1;
        std::size_t i = hash;
        while (i < close_ && (barriers -= source_.is_barrier(i)) > 0)
            ++i;
        return i;
    }

    [[nodiscard]] bool opens_switch(std::size_t brace) const
    {
        int depth = 0;
        std::size_t i = brace - 1;
        for (; source_.is(brace - 1, ")") && !source_.is_barrier(i); --i) {
            depth += source_.is(i, ")");
            depth -= source_.is(i, "(");
            if (depth == 0)
                break;
        }
        return source_.is(i, "(") && source_.is(i - 1, "switch");
    }

    /// False for the braces of classes, enumerations and initialisers.
    [[nodiscard]] bool opens_block(std::size_t brace) const
    {
        if (!source_.is_any(brace - 1, {")", ";", "{", "}", ":", "else", "do", "try", "mutable"}))
            return false;
        for (std::size_t i = brace - 1;
             !source_.is_any(i, {";", "{", "}"}) && !source_.is_barrier(i); --i)
            if (source_.is_any(i, {"struct", "class", "union", "enum"}))
                return false;
        return true;
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
            if (source_.is_barrier(i) || source_.is(i, "#"))
                return;
            if (source_.is(i, ",") && source_.is_word(i + 1) && source_.is(i + 2, "["))
                names.push_back(i + 1);
            if (source_.is_any(i, {"(", "[", "{"}))
                i = source_.closing(i);
        }
        for (const std::size_t declared : names) {
            const std::string_view text = source_[declared].text;
            const bool used_at_once = source_.holds(declared + 1, i, text);
            if (i < end && !used_at_once && indexed_at_run_time(text, i, end))
                found_.push_back({declared, i});
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
            if (source_.is_word(i) && source_.is(i + 1, "[")) {
                const bool typed = i > type && (source_.is_word(i - 1) || source_.is(i - 1, ">"));
                return typed ? i : 0;
            }
        }
        return 0;
    }

    [[nodiscard]] bool indexed_at_run_time(std::string_view name, std::size_t first,
                                           std::size_t last) const
    {
        for (std::size_t i = first; i < last; ++i) {
            if (!source_.is(i, name) || source_.is_any(i - 1, {".", "->", "::"}))
                continue;
            for (std::size_t open = i + 1; source_.is(open, "["); open = source_.closing(open) + 1)
                if (unknown(open + 1, source_.closing(open)))
                    return true;
        }
        return false;
    }

    const Source& source_;
    std::size_t close_; ///< of the function's body
    std::set<std::string_view> run_time_;
    std::vector<LocalArray> found_;
};

} // namespace

bool keeps_its_loop(const Source& source, std::size_t keyword)
{
    return keyword >= 5 && source.is_barrier(keyword - 1) && source[keyword - 2].text == "1" &&
           source.is(keyword - 3, "unroll") && source.is(keyword - 4, "pragma");
}

std::vector<LocalArray> local_arrays(const Source& source, std::size_t specifier, std::size_t open,
                                     std::size_t close)
{
    return LocalArrays(source, specifier, open, close).found();
}

} // namespace launch_rewriter
