#include "own_program/messages.hpp"

#include <regex.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <sstream>

namespace own_program {
namespace {

/// An extended regular expression. That of POSIX: std::regex takes seconds to compile.
class Pattern
{
  public:
    explicit Pattern(const std::string& text) { regcomp(&pattern_, text.c_str(), REG_EXTENDED); }
    ~Pattern() { regfree(&pattern_); }
    Pattern(const Pattern&) = delete;
    Pattern& operator=(const Pattern&) = delete;

    [[nodiscard]] bool fits(const std::string& text) const
    {
        return regexec(&pattern_, text.c_str(), 0, nullptr, 0) == 0;
    }
    /// The part of `text` that fits, and what follows it; both empty if none does.
    [[nodiscard]] std::string first_in(const std::string& text, std::string* behind = nullptr) const
    {
        regmatch_t match{};
        if (regexec(&pattern_, text.c_str(), 1, &match, 0) != 0)
            return {};
        if (behind != nullptr)
            *behind = text.substr(static_cast<std::size_t>(match.rm_eo));
        return text.substr(static_cast<std::size_t>(match.rm_so),
                           static_cast<std::size_t>(match.rm_eo - match.rm_so));
    }

  private:
    regex_t pattern_{};
};

/// "file.cu:12" of "file.cu:12:34: error: ...".
std::string place_of(const std::string& line)
{
    static const Pattern place("^[^:]+:[0-9]+");
    return place.first_in(line);
}

/// What stands behind the last `mark` that fits; all of it without one.
std::string behind_last(const Pattern& mark, std::string text)
{
    for (std::string rest; !mark.first_in(text, &rest).empty();)
        text = rest;
    return text;
}

/// `name` of "... 'name' ...".
std::string first_quoted(const std::string& text)
{
    static const Pattern quoted("'[^']+'");
    const std::string found = quoted.first_in(text);
    return found.empty() ? found : found.substr(1, found.size() - 2);
}

/// The number of the gap to which a name belongs; gaps().size() if to none.
std::size_t gap_of(const std::string& name)
{
    const std::vector<Gap>& all = gaps();
    const auto found = std::find_if(all.begin(), all.end(), [&](const Gap& gap) {
        return Pattern("^(" + std::string(gap.names) + ")$").fits(name);
    });
    return static_cast<std::size_t>(found - all.begin());
}

class Explanation
{
  public:
    explicit Explanation(const std::vector<std::string>& own) : own_(own) {}

    void read(const std::string& line)
    {
        static const Pattern origin(
            "^In file included from |^ +from |"
            "(required|instantiation|instantiated|expansion).* (from|here|of)");
        static const Pattern error(
            ": (fatal )?error: |undefined reference to|multiple definition of");
        static const Pattern excerpt("^ +[0-9]* \\|");
        static const Pattern linker("(^|/)(ld|gold|mold)[.a-z0-9]*: ");
        static const Pattern of_linker("^collect2: |: In function ");
        // What is no error of a compiler's at all, but for sentences of the rewriter.
        static const Pattern other(
            ": (note|warning): |^ |^In file|: In |^cc1|^collect2|ld: |ld returned|"
            "compilation terminated|^[0-9]+ errors? generated");
        if (origin.fits(line))
            note_origin(line);
        if (of_linker.fits(line))
            return;
        if (error.fits(line)) {
            read_error(line);
        } else if (std::string what; !linker.first_in(line, &what).empty()) {
            if (!other.fits(": " + what) && what.find(": in function") == what.npos)
                linker_ += "the linker says: " + what + '\n';
        } else if (in_excerpt_ && excerpt.fits(line) && excerpt_lines_ < 3) {
            first_ += '\n' + line;
            ++excerpt_lines_;
        } else {
            in_excerpt_ = in_excerpt_ && excerpt_lines_ == 0;
            if (!other.fits(line))
                others_ += line + '\n';
        }
    }

    [[nodiscard]] std::string text(bool nvcc_compiles) const
    {
        constexpr std::size_t most = 5;
        std::string text;
        for (std::size_t i = 0; i < sentences_.size() && i < most; ++i)
            text += sentences_[i] + '\n';
        if (sentences_.size() > most)
            text += "... and " + std::to_string(sentences_.size() - most) + " more of these.\n";
        if (!sentences_.empty())
            return text;
        if (first_.empty())
            return linker_ + others_;
        const std::string more = std::to_string(errors_ - 1) + " more error";
        return first_ + '\n' +
               (errors_ > 1 ? "(and " + more + (errors_ > 2 ? "s)\n" : ")\n") : "") +
               (nvcc_compiles ? "nvcc compiles this: what the CPU device lacks is " +
                                    (lacks_.empty() ? "told above" : lacks_) + ".\n"
                              : "");
    }

  private:
    [[nodiscard]] bool is_own(const std::string& place) const
    {
        return std::any_of(own_.begin(), own_.end(),
                           [&](const std::string& folder) { return place.starts_with(folder); });
    }

    /// Where an error inside a header comes from: the reader's last line before it.
    void note_origin(const std::string& line)
    {
        static const Pattern lead("^(In file included)? *from *");
        std::string rest;
        const std::string place = place_of(lead.first_in(line, &rest).empty() ? line : rest);
        if (!place.empty() && !is_own(place))
            origin_ = place;
    }

    void read_error(const std::string& line)
    {
        static const Pattern mark(": (fatal )?error: ");
        static const Pattern missing_file(":? (No such file or directory|file not found)");
        static const Pattern undefined("undefined reference to [`']");
        static const Pattern twice("multiple definition of [`']");
        static const Pattern undeclared(
            "not (been )?declared|not a member|does not name|has no member|"
            "unknown type|undeclared|no member|not a class|not declare");
        const std::string place = place_of(line);
        const std::string text = behind_last(mark, line);
        const std::string reader = is_own(place) && !origin_.empty() ? origin_ : place;
        std::string rest;
        if (const std::string found = missing_file.first_in(text, &rest); !found.empty()) {
            std::string name = text.substr(0, text.find(found));
            name.erase(0, name.find_first_not_of('\''));
            name.erase(name.find_last_not_of('\'') + 1);
            if (!tell(place, name))
                say(place + ": there is no '" + name + "': name its folder with -I DIR.");
        } else if (!undefined.first_in(text, &rest).empty()) {
            const std::string name = rest.substr(0, rest.rfind('\''));
            const bool of_object = place.empty() || place.find(".o:") != place.npos;
            const std::string where = of_object || is_own(place) ? "the program" : place;
            if (!tell(where, name) && missing_.insert(name).second)
                say(where + ": nothing defines " + name +
                    ", which the program calls: name the file that does next to the others, or its "
                    "library with -l.");
        } else if (!twice.first_in(text, &rest).empty()) {
            say("Two of the files define " + rest.substr(0, rest.find('\'')) +
                ": name only one of them.");
        } else if (!undeclared.fits(text) || !tell(reader, first_quoted(text))) {
            in_excerpt_ = errors_++ == 0;
            if (in_excerpt_) {
                first_ = reader + ": error: " + text;
                lacks_ = undeclared.fits(text) ? first_quoted(text) : "";
                in_excerpt_ = !is_own(place);
                return; // the origin is of the lines that follow, too
            }
        }
        origin_.clear();
    }

    /// One sentence a gap: the first name stands for all of its kind. False if there is none.
    bool tell(const std::string& place, const std::string& name)
    {
        const std::size_t gap = gap_of(name);
        if (gap == gaps().size())
            return false;
        std::string sentence = gaps()[gap].sentence;
        for (std::size_t at = 0; (at = sentence.find("NAME", at)) != sentence.npos;
             at += name.size())
            sentence.replace(at, 4, name);
        if (told_.insert(gap).second)
            say(place + ": " + sentence);
        return true;
    }

    void say(const std::string& sentence)
    {
        if (std::find(sentences_.begin(), sentences_.end(), sentence) == sentences_.end())
            sentences_.push_back(sentence);
    }

    const std::vector<std::string>& own_;
    std::vector<std::string> sentences_;
    std::set<std::size_t> told_;    ///< gaps
    std::set<std::string> missing_; ///< what nothing defines
    std::string origin_;            ///< of the next error, if that is in a header
    std::string first_;             ///< error, with the line of source under it
    std::string lacks_;             ///< the name that it says is not declared
    std::size_t errors_ = 0;
    std::size_t excerpt_lines_ = 0;
    bool in_excerpt_ = false;
    std::string linker_; ///< what it says next to names that are missing or defined twice
    std::string others_;
};

} // namespace

std::string explain(const std::string& messages, const std::vector<std::string>& own,
                    bool nvcc_compiles)
{
    if (const std::string full = full_disk(messages); !full.empty())
        return full + '\n';
    Explanation explanation(own);
    std::istringstream lines(messages);
    for (std::string line; std::getline(lines, line);)
        explanation.read(line);
    return explanation.text(nvcc_compiles);
}

std::string full_disk(const std::string& messages)
{
    static const Pattern reason("[^\n]*(No space left on device|Disk quota exceeded)'?(\n|$)");
    const std::string line = reason.first_in(messages);
    return line.substr(0, line.find('\n'));
}

std::string refusal(const std::string& file, const std::string& messages)
{
    // So its own front end writes errors of the source; those of an installation look different.
    static const Pattern error("[^\n]*\\([0-9]+\\): error[^\n]*");
    const std::string first = error.first_in(messages);
    return first.empty()
               ? ""
               : "nvcc refuses " + file + ", so that no GPU runs it as it is: " + first + '\n';
}

} // namespace own_program
