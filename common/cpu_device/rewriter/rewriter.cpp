#include "rewriter/rewriter.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

namespace launch_rewriter {
namespace {

// --- tokens ---------------------------------------------------------------------------------

enum class Kind
{
    word,    ///< identifier or keyword
    literal, ///< number, character, string or raw string
    symbol,  ///< `<<<`, `<<`, `::`, `->`, or one character
    barrier  ///< nothing reaches across: end of a directive, end of a macro's parameter list
};

struct Token
{
    Kind kind;
    std::size_t begin;
    std::string_view text;

    [[nodiscard]] std::size_t end() const { return begin + text.size(); }
    [[nodiscard]] bool is(std::string_view expected) const
    {
        return kind != Kind::literal && text == expected;
    }
};

bool starts_word(char c)
{
    return std::isalpha(static_cast<unsigned char>(c)) || c == '_';
}
bool continues_word(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

/// Splits a source into tokens; white space, comments and `#if 0` groups leave none.
class Lexer
{
  public:
    explicit Lexer(std::string_view source) : source_(source) {}

    std::vector<Token> tokens()
    {
        while (at_ < source_.size()) {
            next();
        }
        end_directive();
        return std::move(tokens_);
    }

  private:
    [[nodiscard]] char peek(std::size_t ahead = 0) const
    {
        return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0';
    }
    [[nodiscard]] bool looking_at(std::string_view text) const
    {
        return source_.substr(at_, text.size()) == text;
    }
    void add(Kind kind, std::size_t length)
    {
        tokens_.push_back({kind, at_, source_.substr(at_, length)});
        at_ += length;
        line_start_ = false;
    }

    void next()
    {
        if (looking_at("\\\n") || looking_at("\\\r\n")) {
            at_ += peek(1) == '\n' ? 2 : 3;
        } else if (peek() == '\n') {
            ++at_;
            end_directive();
            line_start_ = true;
        } else if (std::isspace(static_cast<unsigned char>(peek()))) {
            ++at_;
        } else if (looking_at("//")) {
            skip_line();
        } else if (looking_at("/*")) {
            const std::size_t close = source_.find("*/", at_ + 2);
            at_ = close == std::string_view::npos ? source_.size() : close + 2;
        } else if (peek() == '#' && line_start_) {
            directive_ = tokens_.size();
            in_directive_ = true;
            add(Kind::symbol, 1);
        } else if (const std::size_t raw = raw_string_prefix(); raw != 0) {
            raw_string(raw);
        } else if (peek() == '"' || peek() == '\'') {
            add(Kind::literal, quoted_length());
        } else if (starts_word(peek())) {
            word();
        } else if (std::isdigit(static_cast<unsigned char>(peek())) ||
                   (peek() == '.' && std::isdigit(static_cast<unsigned char>(peek(1))))) {
            number();
        } else {
            symbol();
        }
    }

    /// To the end of the line; a backslash before the newline continues it.
    void skip_line()
    {
        while (at_ < source_.size() && peek() != '\n') {
            at_ += looking_at("\\\n") ? 2 : looking_at("\\\r\n") ? 3 : 1;
        }
    }

    /// Length of `R"`, `u8R"` and the like at the current position, else 0.
    [[nodiscard]] std::size_t raw_string_prefix() const
    {
        for (const std::string_view prefix : {"R\"", "LR\"", "uR\"", "UR\"", "u8R\""}) {
            if (looking_at(prefix)) {
                return prefix.size();
            }
        }
        return 0;
    }

    void raw_string(std::size_t prefix)
    {
        const std::size_t open = source_.find('(', at_ + prefix);
        if (open == std::string_view::npos) {
            add(Kind::literal, source_.size() - at_);
            return;
        }
        const std::string delimiter(source_.substr(at_ + prefix, open - at_ - prefix));
        const std::string closing = ")" + delimiter + "\"";
        const std::size_t close = source_.find(closing, open);
        const std::size_t end =
            close == std::string_view::npos ? source_.size() : close + closing.size();
        add(Kind::literal, end - at_);
    }

    /// A quote left open (an apostrophe in an `#error` line) ends with its line.
    [[nodiscard]] std::size_t quoted_length() const
    {
        std::size_t length = 1;
        while (peek(length) != peek() && peek(length) != '\n' && at_ + length < source_.size()) {
            length += peek(length) == '\\' ? 2 : 1;
        }
        return std::min(peek(length) == '\n' ? length : length + 1, source_.size() - at_);
    }

    void word()
    {
        std::size_t length = 1;
        while (continues_word(peek(length))) {
            ++length;
        }
        add(Kind::word, length);
        // `#define LAUNCH(k) (k)<<<1, 1>>>()`: the body does not belong to the parameter list.
        const bool names_macro = in_directive_ && tokens_.size() == directive_ + 3 &&
                                 tokens_[directive_ + 1].is("define");
        if (names_macro) {
            if (peek() == '(') {
                const std::size_t close = source_.find(')', at_);
                at_ = close == std::string_view::npos ? source_.size() : close + 1;
            }
            add(Kind::barrier, 0);
        }
    }

    void number()
    {
        std::size_t length = 1;
        const auto is_exponent = [](char c) {
            return c == 'e' || c == 'E' || c == 'p' || c == 'P';
        };
        while (continues_word(peek(length)) || peek(length) == '.' ||
               (peek(length) == '\'' && continues_word(peek(length + 1))) ||
               ((peek(length) == '+' || peek(length) == '-') && is_exponent(peek(length - 1)))) {
            ++length;
        }
        add(Kind::literal, length);
    }

    void symbol()
    {
        for (const std::string_view text : {"<<<", "<<", "::", "->"}) {
            if (looking_at(text)) {
                add(Kind::symbol, text.size());
                return;
            }
        }
        add(Kind::symbol, 1);
    }

    void end_directive()
    {
        if (!in_directive_) {
            return;
        }
        in_directive_ = false;
        const bool removed = tokens_.size() == directive_ + 3 && tokens_[directive_ + 1].is("if") &&
                             tokens_[directive_ + 2].text == "0";
        add(Kind::barrier, 0);
        if (removed) {
            skip_removed_group();
        }
    }

    /// From behind `#if 0` to its `#else`, `#elif` or `#endif`.
    void skip_removed_group()
    {
        int depth = 0;
        while (at_ < source_.size()) {
            const std::size_t line_end = std::min(source_.find('\n', at_), source_.size());
            std::string_view line = source_.substr(at_, line_end - at_);
            const auto skip_space = [&line] {
                line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
            };
            skip_space();
            if (line.substr(0, 1) == "#") {
                line.remove_prefix(1);
                skip_space();
                if (depth == 0 && (line.substr(0, 2) == "el" || line.substr(0, 5) == "endif")) {
                    return;
                }
                depth += line.substr(0, 2) == "if" ? 1 : line.substr(0, 5) == "endif" ? -1 : 0;
            }
            at_ = std::min(line_end + 1, source_.size());
        }
    }

    std::string_view source_;
    std::size_t at_ = 0;
    bool line_start_ = true;
    bool in_directive_ = false;
    std::size_t directive_ = 0; ///< index of the `#` that opened the directive
    std::vector<Token> tokens_;
};

// --- rewriting ------------------------------------------------------------------------------

/// An `extern __shared__` declaration: `float tile[][32]` is "float", "tile", "[][32]".
struct DynamicArray
{
    std::string type;
    std::string name;
    std::string extents;

    /// A reference to the array, so that it decays, indexes and casts as the original does.
    [[nodiscard]] std::string as_reference() const
    {
        return "[[maybe_unused]] " + type + " (&" + name + ")" + extents + " = *static_cast<" +
               type + " (*)" + extents + ">(::cpu_device::dynamic_shared());";
    }
};

/// Finds the arrays in the body of a kernel, or of a function that kernels call, that a GPU may
/// have to put into local memory: those with an index that does not look like one that a compiler
/// knows after it has unrolled the loops. Where a declaration is not plain, it is left alone.
class LocalArrays
{
  public:
    struct Found
    {
        std::size_t name;
        std::size_t end; ///< the `;` of its declaration
    };

    LocalArrays(const std::vector<Token>& tokens, std::size_t parameters, std::size_t open,
                std::size_t close)
        : tokens_(tokens), close_(close)
    {
        for (std::size_t i = open; i < close; ++i) {
            if (is(i, "goto")) {
                return; // it may jump across a declaration, but not across an initialisation
            }
        }
        note_parameters(parameters, open);
        note_variables(open);
        block(open, close);
    }

    [[nodiscard]] const std::vector<Found>& found() const { return found_; }

  private:
    [[nodiscard]] bool is(std::size_t i, std::string_view text) const
    {
        return i < tokens_.size() && tokens_[i].is(text);
    }
    [[nodiscard]] bool is_any(std::size_t i, std::initializer_list<std::string_view> texts) const
    {
        return std::any_of(texts.begin(), texts.end(),
                           [&](std::string_view text) { return is(i, text); });
    }
    [[nodiscard]] bool is_word(std::size_t i) const
    {
        return i < tokens_.size() && tokens_[i].kind == Kind::word;
    }
    [[nodiscard]] bool is_barrier(std::size_t i) const
    {
        return i >= tokens_.size() || tokens_[i].kind == Kind::barrier;
    }
    /// The bracket that closes the one at `open`; close_ if none does before.
    [[nodiscard]] std::size_t closing(std::size_t open) const
    {
        int depth = 0;
        std::size_t i = open;
        for (; i < close_; ++i) {
            depth += is_any(i, {"(", "[", "{"});
            depth -= is_any(i, {")", "]", "}"});
            if (depth == 0) {
                break;
            }
        }
        return i;
    }

    // --- what is known at compile time ---

    /// The last word before a comma, a default or the end.
    void note_parameters(std::size_t first, std::size_t last)
    {
        for (std::size_t i = first; i < last; ++i) {
            if (is_word(i) && is_any(i + 1, {",", ")", "=", "["})) {
                run_time_.insert(tokens_[i].text);
            }
        }
    }

    /// Variables of the function. That of a loop is known if nothing unknown is in the loop's head.
    void note_variables(std::size_t open)
    {
        for (std::size_t i = open; i < close_; ++i) {
            if (is(i, "for") && is(i + 1, "(")) {
                note_loop(i);
                i = closing(i + 1);
            } else if (is(i, "constexpr")) {
                while (i < close_ && !is(i, ";")) {
                    ++i;
                }
            } else if (declares_variable(i)) {
                run_time_.insert(tokens_[i].text);
            }
        }
    }

    /// True for the name in `const T* name = ...`, from the start of the statement on.
    [[nodiscard]] bool declares_variable(std::size_t name) const
    {
        if (!is_word(name) || !is_any(name + 1, {"=", ";", "{", ",", "("})) {
            return false;
        }
        std::size_t i = name - 1;
        while ((is_word(i) && !is_any(i, {"return", "else", "do", "goto", "new"})) ||
               is_any(i, {"::", "*", "&", "<", ">"})) {
            --i;
        }
        return i != name - 1 && is_word(i + 1) && is_any(i, {";", "{", "}"});
    }

    void note_loop(std::size_t keyword)
    {
        const std::size_t end = closing(keyword + 1);
        if (!keeps_its_loop(keyword) && !unknown(keyword + 2, end)) {
            return;
        }
        for (std::size_t i = keyword + 2; i < end && !is(i, ";"); ++i) {
            if (is_word(i) && is_any(i + 1, {"=", ":", "{"})) {
                run_time_.insert(tokens_[i].text);
            }
        }
    }

    /// True behind `#pragma unroll 1`.
    [[nodiscard]] bool keeps_its_loop(std::size_t keyword) const
    {
        return keyword >= 5 && is_barrier(keyword - 1) && tokens_[keyword - 2].text == "1" &&
               is(keyword - 3, "unroll") && is(keyword - 4, "pragma");
    }

    /// True if the expression has a value that only the running thread knows.
    [[nodiscard]] bool unknown(std::size_t first, std::size_t last) const
    {
        for (std::size_t i = first; i < last; ++i) {
            const bool call = is(i, "(") && is_word(i - 1) && !is(i - 1, "sizeof");
            const bool built_in = is_any(i, {"threadIdx", "blockIdx", "blockDim", "gridDim"});
            if (call || built_in || is(i, "[") ||
                (is_word(i) && !is_any(i - 1, {"::", ".", "->"}) &&
                 run_time_.count(tokens_[i].text) != 0)) {
                return true;
            }
        }
        return false;
    }

    // --- declarations ---

    /// The statements between the braces `open` and `end`.
    void block(std::size_t open, std::size_t end)
    {
        const bool jumps = opens_switch(open); // across declarations, from case to case
        for (std::size_t i = open + 1; i < end; ++i) {
            if (is(i, "#")) {
                i = end_of_directive(i);
                continue;
            }
            if (is_any(i - 1, {"{", "}", ";"}) && !jumps) {
                note_declaration(i, end);
            }
            if (is_any(i, {"(", "["})) {
                i = closing(i);
            } else if (is(i, "{")) {
                const std::size_t last = closing(i);
                if (opens_block(i)) {
                    block(i, last);
                }
                i = last;
            }
        }
    }

    [[nodiscard]] std::size_t end_of_directive(std::size_t hash) const
    {
        int barriers = is(hash + 1, "define") ? 2 : 1;
        std::size_t i = hash;
        while (i < close_ && (barriers -= is_barrier(i)) > 0) {
            ++i;
        }
        return i;
    }

    [[nodiscard]] bool opens_switch(std::size_t brace) const
    {
        int depth = 0;
        std::size_t i = brace - 1;
        for (; is(brace - 1, ")") && !is_barrier(i); --i) {
            depth += is(i, ")");
            depth -= is(i, "(");
            if (depth == 0) {
                break;
            }
        }
        return is(i, "(") && is(i - 1, "switch");
    }

    /// False for the braces of classes, enumerations and initialisers.
    [[nodiscard]] bool opens_block(std::size_t brace) const
    {
        if (!is_any(brace - 1, {")", ";", "{", "}", ":", "else", "do", "try", "mutable"})) {
            return false;
        }
        for (std::size_t i = brace - 1; !is_any(i, {";", "{", "}"}) && !is_barrier(i); --i) {
            if (is_any(i, {"struct", "class", "union", "enum"})) {
                return false;
            }
        }
        return true;
    }

    /// Notes the arrays that the statement at `first` of the block that ends at `end` declares.
    void note_declaration(std::size_t first, std::size_t end)
    {
        const std::size_t name = first_array(first);
        if (name == 0) {
            return;
        }
        std::vector<std::size_t> names = {name};
        std::size_t i = name + 1;
        for (; i < end && !is(i, ";"); ++i) {
            if (is_barrier(i) || is(i, "#")) {
                return;
            }
            if (is(i, ",") && is_word(i + 1) && is(i + 2, "[")) {
                names.push_back(i + 1);
            }
            if (is_any(i, {"(", "[", "{"})) {
                i = closing(i);
            }
        }
        for (const std::size_t declared : names) {
            const auto names_it = [&](const Token& token) {
                return token.is(tokens_[declared].text);
            };
            const auto begin = tokens_.begin();
            const bool used_at_once = std::any_of(begin + static_cast<std::ptrdiff_t>(declared + 1),
                                                  begin + static_cast<std::ptrdiff_t>(i), names_it);
            if (i < end && !used_at_once && indexed_at_run_time(tokens_[declared].text, i, end)) {
                found_.push_back({declared, i});
            }
        }
    }

    /// The name of the first array that a plain declaration declares: words of a type, a name, `[`.
    [[nodiscard]] std::size_t first_array(std::size_t first) const
    {
        std::size_t i = first;
        while (is_any(i, {"alignas", "__align__"}) && is(i + 1, "(")) {
            i = closing(i + 1) + 1;
        }
        const std::size_t type = i;
        for (; i < close_; ++i) {
            const bool excluded = is_any(
                i, {"return", "using",        "typedef",    "extern",       "static", "constexpr",
                    "const",  "thread_local", "__shared__", "__constant__", "goto",   "case",
                    "delete", "new",          "throw",      "else",         "do",     "struct",
                    "class",  "union",        "enum",       "template",     "asm",    "operator",
                    "auto",   "friend"});
            if (excluded || !(is_word(i) || is_any(i, {"::", "<", ">", ","}) ||
                              tokens_[i].kind == Kind::literal)) {
                return 0;
            }
            if (is_word(i) && is(i + 1, "[")) {
                const bool typed = i > type && (is_word(i - 1) || is(i - 1, ">"));
                return typed ? i : 0;
            }
        }
        return 0;
    }

    [[nodiscard]] bool indexed_at_run_time(std::string_view name, std::size_t first,
                                           std::size_t last) const
    {
        for (std::size_t i = first; i < last; ++i) {
            if (!is(i, name) || is_any(i - 1, {".", "->", "::"})) {
                continue;
            }
            for (std::size_t open = i + 1; is(open, "["); open = closing(open) + 1) {
                if (unknown(open + 1, closing(open))) {
                    return true;
                }
            }
        }
        return false;
    }

    const std::vector<Token>& tokens_;
    std::size_t close_; ///< of the function's body
    std::set<std::string_view> run_time_;
    std::vector<Found> found_;
};

/// What one file declares for those that include it.
struct Declarations
{
    std::set<std::string, std::less<>> kernels;
    std::vector<DynamicArray> arrays; ///< declared outside all functions
};

class Rewriter
{
  public:
    Rewriter(std::string_view source, const std::string& file, const IncludeHandler& include,
             Declarations& declarations)
        : source_(source), file_(file), include_(include), declarations_(declarations),
          tokens_(Lexer(source).tokens())
    {}

    std::string text()
    {
        for (std::size_t i = 0; i < tokens_.size(); ++i) {
            visit(i);
        }
        return apply_edits();
    }

  private:
    struct Edit
    {
        std::size_t begin;
        std::size_t length;
        std::string replacement;
    };

    void visit(std::size_t i)
    {
        const Token& token = tokens_[i];
        if (token.is("#")) {
            directive(i);
        } else if (i < macro_end_ && (token.is("{") || token.is("}"))) {
            return; // not balanced, perhaps
        } else if (token.is("{")) {
            // Only braces that open a namespace leave the scope at which it was.
            scopes_.push_back(opens_namespace(i));
        } else if (token.is("}") && !scopes_.empty()) {
            scopes_.pop_back();
        } else if (token.is("__global__") || token.is("__device__")) {
            enter_device_code(i);
        } else if (token.is("asm") || token.is("__asm__") || token.is("__asm")) {
            if (!is_empty_assembly(i)) {
                refuse_in_device_code(i, "inline PTX cannot run on the CPU device; write it in "
                                         "C++ or build for a GPU.");
            }
        } else if (token.is("__shared__")) {
            shared_array(i);
        } else if (token.is("(") || token.is("reinterpret_cast")) {
            kernel_address(i);
        } else if (token.is("<<<") && !is(i - 1, "operator")) {
            launch(i);
        }
    }

    // --- looking around ---

    [[nodiscard]] bool is(std::size_t i, std::string_view text) const
    {
        return i < tokens_.size() && tokens_[i].is(text); // i - 1 of 0 wraps and is out of range
    }
    [[nodiscard]] bool is_word(std::size_t i) const
    {
        return i < tokens_.size() && tokens_[i].kind == Kind::word;
    }
    [[nodiscard]] bool is_barrier(std::size_t i) const
    {
        return i >= tokens_.size() || tokens_[i].kind == Kind::barrier;
    }

    [[noreturn]] void refuse(std::size_t i, const std::string& sentence) const
    {
        const auto line =
            1 + std::count(source_.begin(),
                           source_.begin() + static_cast<std::ptrdiff_t>(tokens_[i].begin), '\n');
        throw Unsupported(file_ + ":" + std::to_string(line) + ": " + sentence);
    }

    void refuse_in_device_code(std::size_t i, const std::string& sentence) const
    {
        // What `#if __CUDA_ARCH__` guards is never compiled here.
        const bool guarded =
            std::find(conditions_.begin(), conditions_.end(), true) != conditions_.end();
        if (i < device_code_end_ && !guarded) {
            refuse(i, sentence);
        }
    }

    /// The bracket that closes the one at `open`, or a barrier if none does.
    [[nodiscard]] std::size_t closing(std::size_t open) const
    {
        int depth = 0;
        std::size_t i = open;
        for (; i < tokens_.size(); ++i) {
            depth += is(i, "(") || is(i, "[") || is(i, "{");
            depth -= is(i, ")") || is(i, "]") || is(i, "}");
            if (depth == 0) {
                break;
            }
        }
        return i;
    }

    /// The bracket that opens the `)`, `]` or `>` at `close`.
    [[nodiscard]] std::size_t opening(std::size_t close) const
    {
        const bool angles = is(close, ">");
        int depth = 0;
        for (std::size_t i = close; !is_barrier(i); --i) {
            if (angles && i != close && (is(i, ")") || is(i, "]"))) {
                i = opening(i);
                continue;
            }
            depth += is(i, ")") || is(i, "]") || (angles && is(i, ">"));
            // A template's `<` follows its name; `k<(a) < b>` holds a comparison as well.
            depth -= is(i, "(") || is(i, "[") || (angles && is(i, "<") && is_word(i - 1));
            if (depth == 0) {
                return i;
            }
        }
        refuse(close, "the bracket '" + std::string(tokens_[close].text) +
                          "' before a kernel launch is never opened.");
    }

    /// `asm volatile("" ::: "memory")` holds no instruction: it only keeps compilers from moving
    /// code across it.
    [[nodiscard]] bool is_empty_assembly(std::size_t i) const
    {
        while (is_word(i)) {
            ++i;
        }
        const auto literal = [this](std::size_t at) {
            return at < tokens_.size() && tokens_[at].kind == Kind::literal;
        };
        return is(i, "(") && literal(i + 1) && tokens_[i + 1].text == "\"\"" && !literal(i + 2);
    }

    // --- scopes ---

    [[nodiscard]] bool opens_namespace(std::size_t brace) const
    {
        std::size_t i = brace - 1;
        while (!is_barrier(i) && (is(i, "::") || tokens_[i].kind == Kind::literal ||
                                  (is_word(i) && !is(i, "namespace") && !is(i, "extern")))) {
            --i;
        }
        return is(i, "namespace") || is(i, "extern");
    }

    [[nodiscard]] bool at_namespace_scope() const
    {
        return std::find(scopes_.begin(), scopes_.end(), false) == scopes_.end();
    }

    /// Notes how far the body of the function whose specifier is at `i` reaches.
    void enter_device_code(std::size_t i)
    {
        if (i < device_code_end_ || is(i - 1, "__host__") || is(i + 1, "__host__")) {
            return;
        }
        std::size_t open = i;
        while (!is_barrier(open) && !is(open, "{") && !is(open, ";") && !is(open, "=")) {
            if (is(i, "__global__") && is(open, "(") &&
                tokens_[open - 1].text.substr(0, 2) != "__") { // else __launch_bounds__(...)
                declarations_.kernels.emplace(tokens_[open - 1].text);
            }
            open = is(open, "(") ? closing(open) + 1 : open + 1;
        }
        if (!is(open, "{")) {
            return; // a variable or a declaration
        }
        device_code_end_ = closing(open);
        const LocalArrays local(tokens_, i, open, device_code_end_);
        for (const LocalArrays::Found& array : local.found()) {
            const std::string name(tokens_[array.name].text);
            edits_.push_back({tokens_[array.name].begin, 0, "local_memory_"});
            edits_.push_back(
                {tokens_[array.end].end(), 0,
                 " auto& " + name + " = ::cpu_device::local_array(local_memory_" + name + ");"});
        }
        for (const DynamicArray& array : declarations_.arrays) {
            const auto names_it = [&array](const Token& token) { return token.is(array.name); };
            if (std::any_of(tokens_.begin() + static_cast<std::ptrdiff_t>(open),
                            tokens_.begin() + static_cast<std::ptrdiff_t>(device_code_end_),
                            names_it)) {
                edits_.push_back({tokens_[open].end(), 0, " " + array.as_reference()});
            }
        }
    }

    // --- directives ---

    void directive(std::size_t hash)
    {
        const std::size_t name = hash + 1;
        if (is(name, "define")) {
            macro_end_ = name + 1;
            for (int barriers = 0; barriers < 2 && macro_end_ < tokens_.size(); ++macro_end_) {
                barriers += is_barrier(macro_end_); // behind the parameters, and at the end
            }
        } else if (is(name, "if") || is(name, "ifdef") || is(name, "ifndef")) {
            bool device_only = false;
            for (std::size_t i = name; !is_barrier(i); ++i) {
                device_only = device_only || is(i, "__CUDA_ARCH__");
            }
            conditions_.push_back(device_only);
        } else if (is(name, "endif") && !conditions_.empty()) {
            conditions_.pop_back();
        } else if (is(name, "include") && !is_barrier(name + 1) &&
                   tokens_[name + 1].kind == Kind::literal) {
            const Token& quoted = tokens_[name + 1];
            const auto replacement = include_(quoted.text.substr(1, quoted.text.size() - 2));
            if (replacement) {
                edits_.push_back({quoted.begin, quoted.text.size(), '"' + *replacement + '"'});
            }
        }
    }

    // --- __shared__ ---

    void shared_array(std::size_t shared)
    {
        std::size_t first = shared;
        while (is_word(first - 1)) { // `extern`, or `extern volatile`, before it
            --first;
        }
        std::size_t last = shared;
        while (!is_barrier(last) && !is(last, ";")) {
            ++last;
        }
        const auto declared = [&](std::string_view specifier) {
            std::size_t i = first;
            while (i < last && !is(i, specifier)) {
                ++i;
            }
            return i;
        };
        if (declared("extern") != last) {
            dynamic_array(shared, first, last);
        } else if (const std::size_t i = declared("static"); i != last) {
            // The macro __shared__ says `static` itself.
            edits_.push_back({tokens_[i].begin, tokens_[i].text.size(), ""});
        }
    }

    void dynamic_array(std::size_t shared, std::size_t first, std::size_t last)
    {
        DynamicArray array;
        std::size_t i = first;
        for (; i < last && !is(i, "["); ++i) {
            const bool alignment = is(i, "__align__") || is(i, "alignas") || is(i, "__attribute__");
            if (alignment && is(i + 1, "(")) {
                i = closing(i + 1); // the block's memory is aligned for every type
            } else if (is_word(i) && is(i + 1, "[")) {
                array.name = tokens_[i].text;
            } else if (!is(i, "extern") && !is(i, "__shared__")) {
                array.type += (array.type.empty() ? "" : " ") + std::string(tokens_[i].text);
            }
        }
        bool several = false;
        for (; i < last; ++i) {
            several = several || is(i, ",");
            array.extents += tokens_[i].text;
        }
        if (array.name.empty() || array.type.empty() || several || !is(last, ";")) {
            refuse(shared, "this 'extern __shared__' declaration is not understood; write one "
                           "array each, like 'extern __shared__ float tile[];'.");
        }

        const std::size_t from = tokens_[first].begin;
        const std::size_t length = tokens_[last].end() - from;
        std::string replacement = at_namespace_scope() ? "" : array.as_reference();
        const std::string_view original = source_.substr(from, length);
        replacement.append(
            static_cast<std::size_t>(std::count(original.begin(), original.end(), '\n')), '\n');
        edits_.push_back({from, length, replacement});
        if (at_namespace_scope()) {
            declarations_.arrays.push_back(array); // declared again in each function that names it
        }
    }

    // --- launches ---

    void launch(std::size_t chevrons)
    {
        const std::size_t kernel = kernel_expression(chevrons);
        const std::size_t close = closing_chevrons(chevrons);
        refuse_in_device_code(chevrons,
                              "a kernel launched by a kernel (dynamic parallelism) cannot run on "
                              "the CPU device; launch it from the host.");
        edits_.push_back({tokens_[kernel].begin, 0, "CPU_DEVICE_KERNEL("});
        edits_.push_back({tokens_[chevrons].begin, 3, ").on("});
        edits_.push_back({tokens_[close].begin, 3, ")"});
    }

    /// The first token of the expression in front of `<<<`: `ns::k<T>`, `table[i]`, `(*function)`.
    [[nodiscard]] std::size_t kernel_expression(std::size_t chevrons) const
    {
        std::size_t i = chevrons - 1;
        for (;;) {
            if (is(i, ")") || is(i, "]")) {
                const std::size_t open = opening(i);
                const bool called = is(open - 1, ")") || is(open - 1, "]") || is(open - 1, ">") ||
                                    (is_word(open - 1) && !is_keyword(open - 1));
                if (!called || ends_condition(open - 1)) {
                    return open;
                }
                i = open - 1;
                continue;
            }
            if (is(i, ">")) {
                i = opening(i) - 1;
            }
            if (!is_word(i)) {
                refuse(chevrons, "there is no kernel's name in front of '<<<'.");
            }
            while (is(i - 1, "template")) {
                --i;
            }
            const bool qualified = is(i - 1, "::") || is(i - 1, ".") || is(i - 1, "->");
            if (!qualified) {
                return i;
            }
            const std::size_t before = i - 2;
            const bool global =
                is(i - 1, "::") && !is(before, ">") && (!is_word(before) || is_keyword(before));
            if (global) {
                return i - 1;
            }
            i = before;
        }
    }

    [[nodiscard]] bool is_keyword(std::size_t i) const
    {
        for (const std::string_view word :
             {"return", "else", "do", "case", "if", "while", "for", "switch", "constexpr"}) {
            if (is(i, word)) {
                return true;
            }
        }
        return false;
    }

    /// True for the `)` of `if (c) (*k)<<<1, 1>>>()`.
    [[nodiscard]] bool ends_condition(std::size_t i) const
    {
        return is(i, ")") && is_keyword(opening(i) - 1);
    }

    /// The first `>` of the `>>>` that closes the launch: the last three of a run of `>` outside
    /// all brackets with the argument list (or the end of a macro) behind it.
    [[nodiscard]] std::size_t closing_chevrons(std::size_t chevrons) const
    {
        for (std::size_t i = chevrons + 1; !is_barrier(i) && !is(i, ";"); ++i) {
            if (is(i, "(") || is(i, "[") || is(i, "{")) {
                i = closing(i);
                continue;
            }
            std::size_t run = 0;
            while (is(i + run, ">") && tokens_[i + run].begin == tokens_[i].begin + run) {
                ++run;
            }
            if (run >= 3 && (is(i + run, "(") || is_barrier(i + run))) {
                return i + run - 3;
            }
            i += run == 0 ? 0 : run - 1;
        }
        refuse(chevrons, "the launch opened by '<<<' has no '>>>' followed by its arguments.");
    }

    // --- addresses of kernels ---

    /// `(void*)k` and `reinterpret_cast<void*>(k)` forget k's parameters, which cudaLaunchKernel()
    /// has to know here: both become a call that remembers them.
    void kernel_address(std::size_t cast)
    {
        const bool named = is(cast, "reinterpret_cast");
        std::size_t i = cast + (named ? 2 : 1);
        for (const std::string_view part : {"const", "void", "const", "*"}) {
            if (is(i, part)) {
                ++i;
            } else if (part != "const") {
                return;
            }
        }
        if (!is(i, named ? ">" : ")")) {
            return;
        }
        i += named ? 2 : 1; // `(` follows the `>`
        i += is(i, "&");
        const std::size_t name = i;
        while (is(i, "::") || is(i + 1, "::")) {
            ++i;
        }
        if (!is_word(i) || declarations_.kernels.count(tokens_[i].text) == 0) {
            return;
        }
        const std::size_t begin = tokens_[cast].begin;
        edits_.push_back({begin, tokens_[name].begin - begin, "::cpu_device::kernel_address("});
        if (!named) {
            const std::size_t last = is(i + 1, "<") ? closing_angle(i + 1) : i;
            edits_.push_back({tokens_[last].end(), 0, ")"});
        }
    }

    /// The `>` that closes the `<` of template arguments.
    [[nodiscard]] std::size_t closing_angle(std::size_t open) const
    {
        int depth = 0;
        for (std::size_t i = open; !is_barrier(i); ++i) {
            i = is(i, "(") ? closing(i) : i;
            depth += is(i, "<");
            depth -= is(i, ">");
            if (depth == 0) {
                return i;
            }
        }
        refuse(open, "the '<' behind a kernel's name is never closed.");
    }

    // --- output ---

    std::string apply_edits()
    {
        std::stable_sort(edits_.begin(), edits_.end(),
                         [](const Edit& a, const Edit& b) { return a.begin < b.begin; });
        std::string result;
        std::size_t copied = 0;
        for (const Edit& edit : edits_) {
            if (edit.begin < copied) {
                continue; // inside a declaration that is replaced
            }
            result += source_.substr(copied, edit.begin - copied);
            result += edit.replacement;
            copied = edit.begin + edit.length;
        }
        return result + std::string(source_.substr(copied));
    }

    std::string_view source_;
    const std::string& file_;
    const IncludeHandler& include_;
    Declarations& declarations_;
    std::vector<Token> tokens_;
    std::vector<Edit> edits_;
    std::vector<bool> scopes_;        ///< open braces; true for a namespace's
    std::vector<bool> conditions_;    ///< open #if groups; true where __CUDA_ARCH__ decides
    std::size_t macro_end_ = 0;       ///< tokens before this one are a macro's
    std::size_t device_code_end_ = 0; ///< tokens before this one are device code
};

// --- files ----------------------------------------------------------------------------------

std::string read(const std::filesystem::path& file)
{
    std::ifstream stream(file, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(stream), {}};
    if (!stream) {
        throw std::runtime_error("cannot read '" + file.string() + "'.");
    }
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (text.compare(0, byte_order_mark.size(), byte_order_mark) == 0) {
        text.erase(0, byte_order_mark.size());
    }
    return text;
}

std::string in_quotes(const std::string& text)
{
    std::string quoted = "\"";
    for (const char c : text) {
        quoted += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
    }
    return quoted + '"';
}

/// One source and the files beside it that it includes.
class Tree
{
  public:
    explicit Tree(std::filesystem::path output) : output_(std::move(output)) {}

    void add(const std::filesystem::path& input, const std::filesystem::path& output,
             const std::string& preamble)
    {
        read_.push_back(input);
        const std::string name = input.string();
        const auto include = [&](std::string_view quoted) {
            return copy_of(input.parent_path() / quoted);
        };
        const std::string source = read(input);
        const std::string text = Rewriter(source, name, include, declarations_).text();
        std::ofstream stream(output, std::ios::binary);
        stream << preamble << "#line 1 " << in_quotes(name) << '\n' << text;
        if (!stream.flush()) {
            throw std::runtime_error("cannot write '" + output.string() + "'.");
        }
    }

    [[nodiscard]] const std::vector<std::filesystem::path>& files_read() const { return read_; }

  private:
    /// The rewritten copy of a file beside the source, or nothing if there is no such file.
    std::optional<std::string> copy_of(const std::filesystem::path& included)
    {
        if (!std::filesystem::is_regular_file(included)) {
            return std::nullopt; // found by -I: not the reader's
        }
        const auto [entry, is_new] =
            copies_.try_emplace(std::filesystem::canonical(included), std::filesystem::path());
        if (is_new) {
            const auto directory = std::filesystem::absolute(output_.string() + ".includes");
            std::filesystem::create_directories(directory);
            // The number keeps a/x.cuh and b/x.cuh apart.
            entry->second =
                directory / (std::to_string(copies_.size()) + "_" + included.filename().string());
            const std::filesystem::path copy = entry->second;
            add(included, copy, "");
            return copy.string();
        }
        return entry->second.string();
    }

    std::filesystem::path output_;
    Declarations declarations_;
    std::map<std::filesystem::path, std::filesystem::path> copies_;
    std::vector<std::filesystem::path> read_;
};

} // namespace

std::string rewrite(std::string_view source, const std::string& file, const IncludeHandler& include)
{
    Declarations declarations;
    return Rewriter(source, file, include, declarations).text();
}

std::vector<std::filesystem::path> rewrite_file(const std::filesystem::path& input,
                                                const std::filesystem::path& output)
{
    Tree tree(output);
    // nvcc includes cuda_runtime.h in front of every source.
    tree.add(input, output, "#include <cuda_runtime.h>\n#include <cpu_device/kernel_call.hpp>\n");
    return tree.files_read();
}

} // namespace launch_rewriter
