#include "own_program/ptx.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

namespace own_program {
namespace {

/// The words of a line: "ld.param.u64", "%rd1", "_Z1kPi_param_0", without what separates them.
std::vector<std::string> words_of(std::string_view line)
{
    std::vector<std::string> words(1);
    for (const char c : line)
        if (std::isspace(static_cast<unsigned char>(c)) != 0 || c == ',' || c == '[' || c == ']' ||
            c == ';' || c == '"')
            words.emplace_back();
        else
            words.back() += c;
    std::erase(words, "");
    return words;
}

bool is_number(const std::string& word)
{
    return word.find_first_not_of("-+0123456789") == word.npos;
}

} // namespace

std::vector<std::string> combined_atomics(std::string_view ptx)
{
    std::set<std::string> uniform; // registers
    std::map<std::string, std::string> files;
    std::vector<std::pair<std::string, std::string>> found; // number of the file, line
    std::pair<std::string, std::string> place;
    const auto is_uniform = [&](const std::string& word) {
        return is_number(word) || uniform.count(word.substr(0, word.find('+'))) != 0;
    };
    for (std::size_t begin = 0, end; begin < ptx.size(); begin = end + 1) {
        end = std::min(ptx.find('\n', begin), ptx.size());
        const std::vector<std::string> words = words_of(ptx.substr(begin, end - begin));
        if (words.size() < 3)
            continue;
        if (words[0] == ".visible")
            uniform.clear(); // another kernel
        const auto inlined = std::find(words.begin(), words.end(), "inlined_at");
        if (words[0] == ".loc")
            place = words.end() - inlined > 2 ? std::pair(inlined[1], inlined[2])
                                              : std::pair(words[1], words[2]);
        else if (words[0] == ".file")
            files[words[1]] = words[2].substr(words[2].rfind('/') + 1);
        else if (words[0].starts_with("ld.param"))
            uniform.insert(words[1]);
        else if ((words[0].starts_with("cvta.") || words[0].starts_with("add.")) &&
                 std::all_of(words.begin() + 2, words.end(), is_uniform))
            uniform.insert(words[1]);
        else if (((words[0].starts_with("atom.") && words.size() == 4) ||
                  (words[0].starts_with("red.") && words.size() == 3)) &&
                 words[0].find(".add.") != std::string::npos && is_uniform(words.end()[-2]) &&
                 is_uniform(words.back()))
            found.push_back(place);
        else if (words.size() > 1 && words[1][0] == '%')
            uniform.erase(words[1]);
    }
    std::vector<std::string> lines;
    for (const auto& [file, line] : found)
        lines.push_back(files[file] + ":" + line);
    return lines;
}

} // namespace own_program
