#include "rewriter/rewriter.hpp"

#include "rewriter/passes.hpp"

#include <algorithm>

namespace launch_rewriter {
namespace {

/// True if the declaration says `inline` next to the word that implies it.
bool is_inline(const Source& source, std::size_t word)
{
    const std::initializer_list<std::string_view> qualifiers = {
        "inline", "__inline__", "__inline",   "__device__", "__host__", "static",
        "const",  "constexpr",  "__global__", "extern",     "unsigned", "__forceinline__"};
    std::size_t first = word, last = word + 1;
    while (source.is_any(first - 1, qualifiers))
        --first;
    while (source.is_any(last, qualifiers))
        ++last;
    return source.holds(first, last, "inline") || source.holds(first, last, "__inline__") ||
           source.holds(first, last, "__inline");
}

/// "x, n" of the parameters that the bracket opens: of each the last word before its default.
std::string parameter_names(const Source& source, std::size_t open)
{
    std::string names;
    std::string_view last;
    bool defaults = false;
    for (std::size_t i = open + 1; i <= source.closing(open); ++i) {
        if (source.is_any(i, {",", ")"})) {
            names += (names.empty() ? "" : ", ") + std::string(last);
            last = {};
            defaults = false;
        } else if (source.is_any(i, {"(", "[", "{", "<"})) {
            return {}; // which names are whose nobody has to know
        } else if (source.is_word(i) && !defaults) {
            last = source[i].text;
        }
        defaults = defaults || source.is(i, "=");
    }
    return names;
}

/// True if the function between its specifier and its body has pointers among its parameters,
/// and each of them is `__restrict__`: stores then change nothing that is loaded.
bool all_pointers_restricted(const Source& source, std::size_t specifier, std::size_t open)
{
    bool found = false;
    for (std::size_t i = specifier; i < open; ++i) {
        if (!source.is(i, "*"))
            continue;
        found = true;
        if (!source.is_any(i + 1, {"__restrict__", "__restrict"}) &&
            !(source.is(i + 1, "const") && source.is_any(i + 2, {"__restrict__", "__restrict"})))
            return false;
    }
    return found;
}

class Rewriter
{
  public:
    Rewriter(std::string_view source, const std::string& file, bool preprocessed)
        : source_(source, file), preprocessed_(preprocessed)
    {}

    std::string text()
    {
        for (std::size_t i = 0; i < source_.size(); ++i)
            visit(i);
        for (const auto& [first, name] : host_functions_)
            if (device_words_.count(source_[name].text) == 0)
                source_.insert_before(first, "__attribute__((no_sanitize(\"thread\"))) ");
        return source_.edited();
    }

  private:
    void visit(std::size_t i)
    {
        const Token& token = source_[i];
        if (i < kernel_code_end_ && token.kind == Kind::word)
            device_words_.insert(token.text);
        if (token.is("#")) {
            directive(i);
        } else if (i < macro_end_ && (source_.is_any(i, {"{", "}"}))) {
            return; // not balanced, perhaps
        } else if (token.is("{")) {
            // Only braces that open a namespace leave the scope at which it was.
            const bool of_namespace = opens_namespace(i);
            if (preprocessed_ && !of_namespace && !token.of_system && at_namespace_scope())
                if (const auto function = host_function(source_, i))
                    host_functions_.push_back(*function);
            scopes_.push_back(of_namespace);
        } else if (token.is("}") && !scopes_.empty()) {
            scopes_.pop_back();
        } else if (source_.is_any(i, {"__global__", "__device__"})) {
            enter_device_code(i);
        } else if (token.is("__noinline__")) {
            // No macro, because headers of the C++ library have it between `__attribute__((`.
            if (!source_.is_any(i - 1, {"(", ","}))
                source_.replace(i, i, "__attribute__((noinline))");
        } else if (token.is("__forceinline__")) {
            if (is_inline(source_, i))
                source_.replace(i, i, "__attribute__((always_inline))");
        } else if (source_.is_any(i, {"asm", "__asm__", "__asm"})) {
            if (!is_empty_assembly(source_, i) &&
                !(i < kernel_code_end_ && rewrite_assembly(source_, i))) {
                refuse_in_device_code(i, "inline PTX cannot run on the CPU device; write it in "
                                         "C++ or build for a GPU.");
            }
        } else if (i < device_code_end_ && token.is("for") && source_.is(i + 1, "(")) {
            mark_run_time_step(i);
        } else if (i < device_code_end_ && i >= macro_end_ && is_subscript(i)) {
            mark_loaded_index(i);
        } else if (token.is("__shared__")) {
            const auto array = rewrite_shared_array(source_, i, !at_namespace_scope());
            if (array && at_namespace_scope())
                arrays_.push_back(*array);
        } else if (i < kernel_code_end_ && source_.is(i + 1, "(") &&
                   source_.is_any(i, {"clock", "malloc", "free", "printf"})) {
            rewrite_call_of_c(i);
        } else if (i < device_code_end_ && i >= macro_end_ && !token.of_system &&
                   is_shift(source_, i)) {
            source_.insert_behind(source_.is(i, "<<") ? i : i + 1, " ::cpu_device::shift_count *");
        } else if (i < device_code_end_ && calls_kernel(i)) {
            refuse_in_device_code(i, "kernel " + std::string(token.text) +
                                         " is called without <<<...>>> in a kernel, which nvcc "
                                         "rejects; make it a __device__ function.");
        } else if (i >= std::max(kernel_code_end_, macro_end_) && assigns_device_variable(i)) {
            source_.refuse(
                i, "the host assigns " + std::string(token.text) +
                       ", a device variable: kernels on a GPU do not see that (nvcc warns); "
                       "set it with cudaMemcpyToSymbol().");
        } else if (source_.is_any(i, {"(", "reinterpret_cast"})) {
            rewrite_kernel_address(source_, i, kernels_);
        } else if (chevron_tokens(source_, i) != 0 && !source_.is(i - 1, "operator")) {
            rewrite_launch(source_, i, parameters_);
            refuse_in_device_code(i,
                                  "a kernel launched by a kernel (dynamic parallelism) cannot run "
                                  "on the CPU device; launch it from the host.");
        }
    }

    /// nvcc unrolls a loop only if it knows by how much the index grows: `i += blockDim.x` becomes
    /// `i += ::cpu_device::run_time_step<decltype(i)>(blockDim.x)`, which tells if no compiler
    /// knows it. Behind `#pragma unroll 1` it unrolls none: `i += 32` becomes
    /// `i += ::cpu_device::rolled_step(32)`. What other pragmas say is known to no rule.
    void mark_run_time_step(std::size_t loop)
    {
        constexpr std::size_t pragma = 6; // tokens of `#pragma unroll 4`, with its end
        const std::size_t close = source_.closing(loop + 1);
        std::size_t first = close - 1; // behind the condition
        while (first > loop + 1 && !source_.is(first - 1, ";"))
            --first;
        if (close >= source_.size() || first == loop + 1 || !source_.is_word(first) ||
            !source_.is(first + 1, "+") || !source_.is(first + 2, "=") || first + 3 >= close ||
            source_.holds(first, close, ",") || source_.holds(first, close, "{"))
            return;
        const bool rolled = keeps_its_loop(source_, loop);
        if (!rolled && source_.holds(loop - std::min(loop, pragma), loop, "unroll"))
            return;
        source_.insert_before(first + 3, rolled ? "::cpu_device::rolled_step("
                                                : "::cpu_device::run_time_step<decltype(" +
                                                      std::string(source_[first].text) + ")>(");
        source_.insert_behind(close - 1, ")");
    }

    /// True of a `[` behind something that has elements; not of one that declares how many it has.
    [[nodiscard]] bool is_subscript(std::size_t i) const
    {
        if (!source_.is(i, "[") || source_.is(i + 1, "["))
            return false;
        const bool declares =
            source_.is_word(i - 2) && !source_.is_any(i - 2, {"return", "else", "do", "case"});
        return source_.is_any(i - 1, {"]", ")"}) ||
               (source_.is_word(i - 1) && !declares &&
                !source_.is_any(i - 1, {"operator", "return", "delete"}));
    }

    /// An index that is an element itself has to be there before what it leads to can be loaded:
    /// `a[index[i]]` becomes `a[::cpu_device::loaded_index(index[i])]`.
    void mark_loaded_index(std::size_t open)
    {
        const std::size_t close = source_.closing(open);
        for (std::size_t i = open + 1; i < close && close < source_.size(); ++i) {
            if (is_subscript(i)) {
                source_.insert_behind(open, "::cpu_device::loaded_index(");
                source_.insert_before(close, ")");
                return;
            }
        }
    }

    void refuse_in_device_code(std::size_t i, const std::string& sentence) const
    {
        // What `#if __CUDA_ARCH__` guards is never compiled here.
        const bool guarded =
            std::find(conditions_.begin(), conditions_.end(), true) != conditions_.end();
        if (i < device_code_end_ && !guarded)
            source_.refuse(i, sentence);
    }

    /// True of a statement that calls a kernel by its name, if no function for the device has it.
    [[nodiscard]] bool calls_kernel(std::size_t i) const
    {
        if (!source_.is_word(i) || !source_.is(i + 1, "(") ||
            !source_.is_any(i - 1, {";", "{", "}", ")", "else", "do"}) ||
            kernels_.count(source_[i].text) == 0 ||
            source_.is(source_.closing(i + 1) + 1, "{")) // `__launch_bounds__(32) k(int n) {`
            return false;
        for (std::size_t other = 1; other < source_.size(); ++other) {
            if (!source_.is(other, source_[i].text) || !source_.is(other + 1, "("))
                continue;
            std::size_t first = other;
            while (!source_.is_boundary(first - 1) && !source_.is_any(first - 1, {";", "{", "}"}))
                --first;
            if (source_.holds(first, other, "__device__"))
                return false;
        }
        return true;
    }

    /// True of `table = x;` or `table[i] = x;` in code of the host, if nothing but a variable of
    /// the device can have that name.
    [[nodiscard]] bool assigns_device_variable(std::size_t i) const
    {
        if (at_namespace_scope() || !source_.is_any(i - 1, {";", "{", "}", ")", "else"}) ||
            device_variables_.count(source_[i].text) == 0)
            return false;
        const std::size_t behind = source_.is(i + 1, "[") ? source_.closing(i + 1) + 1 : i + 1;
        if (!source_.is(behind, "=") || source_.is(behind + 1, "="))
            return false;
        int declared = 0; // or, perhaps, a factor
        for (std::size_t other = 1; other < source_.size(); ++other)
            declared += source_.is(other, source_[i].text) &&
                        (source_.is_word(other - 1) || source_.is_any(other - 1, {"*", "&", ">"}));
        return declared == 1;
    }

    // --- scopes ---

    [[nodiscard]] bool opens_namespace(std::size_t brace) const
    {
        std::size_t i = brace - 1;
        while (!source_.is_boundary(i) &&
               (source_.is(i, "::") || source_.is_kind(i, Kind::literal) ||
                (source_.is_word(i) && !source_.is_any(i, {"namespace", "extern"}))))
            --i;
        return source_.is_any(i, {"namespace", "extern"});
    }

    [[nodiscard]] bool at_namespace_scope() const
    {
        return std::find(scopes_.begin(), scopes_.end(), false) == scopes_.end();
    }

    /// What kernels have of the C library and the host's is another: a function for both decides
    /// when it runs.
    void rewrite_call_of_c(std::size_t i)
    {
        const bool of_std = source_.is(i - 1, "::") && source_.is(i - 2, "std");
        if (source_.is_any(i - 1, {".", "->"}) || (source_.is(i - 1, "::") && !of_std) ||
            (source_.is_word(i - 1) && !source_.is_any(i - 1, {"return", "else", "do"})))
            return;
        const std::string name = source_.is(i, "clock")    ? "clock_for_caller"
                                 : source_.is(i, "malloc") ? "allocate_for_caller"
                                 : source_.is(i, "free")   ? "free_for_caller"
                                                           : "wait_to_print(), ::printf)";
        source_.replace(of_std ? i - 2 : i, i,
                        (source_.is(i, "printf") ? "(::cpu_device::" : "::cpu_device::") + name);
    }

    /// Notes how far the body of the function whose specifier is at `i` reaches.
    void enter_device_code(std::size_t i)
    {
        if (i < kernel_code_end_)
            return;
        const bool for_host = source_.is(i - 1, "__host__") || source_.is(i + 1, "__host__");
        std::size_t open = i;
        while (!source_.is_boundary(open) && !source_.is_any(open, {"{", ";", "="})) {
            if (source_.is(i, "__global__") && source_.is(open, "(") &&
                source_[open - 1].text.substr(0, 2) != "__") { // else __launch_bounds__(...)
                kernels_.emplace(source_[open - 1].text);
                parameters_[source_[open - 1].text] = parameter_names(source_, open);
            }
            open = source_.is(open, "(") ? source_.closing(open) + 1 : open + 1;
        }
        if (!source_.is(open, "{")) { // a variable or a declaration
            std::size_t name = i;
            while (name < open && !source_.is_any(name + 1, {"[", "=", ";"}))
                ++name;
            if (at_namespace_scope() && !source_.is(i - 1, "__managed__") &&
                !source_.holds(i, open, "__managed__"))
                device_variables_.emplace(source_[name].text);
            return;
        }
        kernel_code_end_ = source_.closing(open);
        if (for_host)
            return;
        for (std::size_t word = i; word < open; ++word)
            if (source_.is(word, "__launch_bounds__")) {
                std::string bounds = source_.text_of(word + 1, source_.closing(word + 1));
                std::replace(bounds.begin(), bounds.end(), '\n', ' ');
                source_.insert_behind(open, " ::cpu_device::check_launch_bounds" + bounds + ";");
            }
        if (source_.holds(i, open, "__global__") && all_pointers_restricted(source_, i, open))
            source_.insert_behind(open, " ::cpu_device::loads_pass_stores();");
        device_code_end_ = kernel_code_end_;
        for (const LocalArray& array : local_arrays(source_, i, open, device_code_end_)) {
            const std::string name(source_[array.name].text);
            source_.insert_before(array.name, "local_memory_");
            source_.insert_behind(array.end, " auto& " + name + " = ::cpu_device::local_array" +
                                                 (array.surely ? "<true>" : "") + "(local_memory_" +
                                                 name + ");");
        }
        for (const DynamicArray& array : arrays_)
            if (source_.holds(open, device_code_end_, array.name))
                source_.insert_behind(open, " " + array.as_reference());
    }

    // --- directives ---

    void directive(std::size_t hash)
    {
        const std::size_t name = hash + 1;
        if (source_.is(name, "define")) {
            macro_end_ = name + 1;
            for (int barriers = 0; barriers < 2 && macro_end_ < source_.size(); ++macro_end_)
                barriers += source_.is_boundary(macro_end_); // after the parameters, and at the end
        } else if (source_.is_any(name, {"if", "ifdef", "ifndef"})) {
            bool device_only = false;
            for (std::size_t i = name; !source_.is_boundary(i); ++i)
                device_only = device_only || source_.is(i, "__CUDA_ARCH__");
            conditions_.push_back(device_only);
        } else if (source_.is(name, "endif") && !conditions_.empty()) {
            conditions_.pop_back();
        }
    }

    Source source_;
    bool preprocessed_; ///< no macro hides what kernels call
    std::vector<HostFunction> host_functions_;
    std::set<std::string_view> device_words_; ///< in what kernels may run
    Names kernels_;
    Names device_variables_;
    ParameterNames parameters_;
    std::vector<DynamicArray> arrays_; ///< declared outside all functions
    std::vector<bool> scopes_;         ///< open braces; true for a namespace's
    std::vector<bool> conditions_;     ///< open #if groups; true where __CUDA_ARCH__ decides
    std::size_t macro_end_ = 0;        ///< tokens before this one are a macro's
    std::size_t device_code_end_ = 0;  ///< tokens before this one are device code
    std::size_t kernel_code_end_ = 0;  ///< the same, or code for both
};

} // namespace

std::string rewrite(std::string_view source, const std::string& file, bool preprocessed)
{
    return Rewriter(source, file, preprocessed).text();
}

} // namespace launch_rewriter
