#include "own_program/options.hpp"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>

namespace own_program {
namespace {

constexpr int bad_usage = 2;

[[noreturn]] void refuse(std::string sentence)
{
    // A word that somebody typed may hold an escape sequence.
    const auto is_control = [](unsigned char letter) { return std::iscntrl(letter) != 0; };
    std::replace_if(sentence.begin(), sentence.end(), is_control, '?');
    throw Refused(bad_usage, sentence);
}

bool is_number(std::string_view word)
{
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    return error == std::errc() && end == word.data() + word.size();
}

/// Options of nvcc without a meaning here.
bool is_of_nvcc(std::string_view word)
{
    constexpr std::string_view whole[] = {"-O0",
                                          "-O1",
                                          "-O2",
                                          "-O3",
                                          "-g",
                                          "-G",
                                          "-lineinfo",
                                          "-m64",
                                          "-dc",
                                          "-use_fast_math",
                                          "--use_fast_math"};
    const auto ends = [word](std::string_view end) {
        return word.starts_with("--") && word.size() > end.size() && word.ends_with(end);
    };
    return std::ranges::find(whole, word) != std::end(whole) || word.starts_with("-rdc=") ||
           word.starts_with("-arch=") || word.starts_with("-gencode=") || ends("extended-lambda") ||
           ends("relaxed-constexpr");
}

class Parser
{
  public:
    explicit Parser(const std::vector<std::string>& words) : words_(words)
    {
        only_compiles_ = std::find(words.begin(), words.end(), "-o") != words.end();
    }

    Request parsed()
    {
        for (; at_ < words_.size(); ++at_) {
            if (words_[at_] == "--" && !only_compiles_) {
                request_.arguments.insert(request_.arguments.end(), words_.begin() + at_ + 1,
                                          words_.end());
                break;
            }
            take(words_[at_]);
        }
        if (request_.files.empty())
            refuse(json_.empty() ? "name the .cu file of your program: ./run mine.cu."
                                 : "--json takes '" + json_ +
                                       "' for the file to write, and no program is left to run: "
                                       "./run --json counts.json mine.cu.");
        return std::move(request_);
    }

  private:
    void take(const std::string& word)
    {
        if (take_for_count(word) || take_for_compiler(word))
            return;
        const bool is_option = word.size() > 1 && word[0] == '-';
        if (is_option && !only_compiles_ && !request_.files.empty())
            request_.arguments.push_back(word);
        else if (is_option && (word == "-arch" || word == "-gencode" || word == "-Xptxas"))
            value("needs a value behind it");
        else if (is_option && !is_of_nvcc(word))
            refuse("'" + word +
                   "' is no option that ./run gives a compiler: -I, -D, -U, -l, -L, "
                   "-std= and -fopenmp are; ./run --help has all.");
        else if (is_option)
            return;
        else if (only_compiles_ && word.size() > 2 && word.ends_with(".a"))
            request_.archive = word;
        else if (only_compiles_ || (is_source(word) && (request_.files.empty() ||
                                                        std::filesystem::is_regular_file(word))))
            request_.files.push_back(word);
        else
            request_.arguments.push_back(word);
    }

    /// The value of an option, `--option=value` or the next word.
    std::string value(const std::string& missing)
    {
        const std::string& word = words_[at_];
        if (const std::size_t equals = word.find('=');
            word.starts_with("--") && equals != word.npos)
            return word.substr(equals + 1);
        if (at_ + 1 == words_.size())
            refuse(word + " " + missing);
        return words_[++at_];
    }

    bool take_for_count(const std::string& word)
    {
        const std::string name = word.starts_with("--") ? word.substr(0, word.find('=')) : word;
        const auto set = [this](const char* variable, const std::string& value) {
            request_.environment.emplace_back(variable, value);
            return true;
        };
        if (name == "--json") {
            json_ = value("needs a file to write.");
            if (json_.empty())
                refuse("--json needs a file to write.");
            return set("MOVING_BYTES_JSON",
                       std::filesystem::weakly_canonical(std::filesystem::absolute(json_)));
        }
        if (name == "--seed") {
            const std::string must = "it must be a whole number from 0 to 18446744073709551615.";
            const std::string seed = value("is ''; " + must);
            if (!is_number(seed))
                refuse("--seed is '" + seed + "'; " + must);
            return set("MOVING_BYTES_SEED", seed);
        }
        if (name == "--count") {
            const std::string must = "it must be all, or how many launches of each configuration "
                                     "are counted: 1 or more.";
            const std::string count = value("is ''; " + must);
            if (count != "all" && (!is_number(count) || count[0] == '0' || count.size() > 9))
                refuse("--count is '" + count + "'; " + must);
            return set("MOVING_BYTES_COUNT", count);
        }
        if (name == "--devices") {
            const std::string must = "it must be a whole number from 1 to 4.";
            const std::string devices = value("is ''; " + must);
            if (devices.size() != 1 || devices < "1" || devices > "4")
                refuse("--devices is '" + devices + "'; " + must);
            return set("MOVING_BYTES_DEVICES", devices);
        }
        if (name == "--card") {
            const std::string card = value("needs the name of a GPU.");
            if (card.empty())
                refuse("--card needs the name of a GPU.");
            return set("MOVING_BYTES_CARD", card);
        }
        return word == "--no-model" && set("MOVING_BYTES_CARD", "none");
    }

    bool take_for_compiler(const std::string& word)
    {
        if (word == "-o") {
            request_.program = value("needs the name of the program.");
        } else if (word == "--registers" || word == "--check") {
            (word == "--check" ? request_.only_check : request_.registers) = true;
        } else if (word == "-fopenmp") {
            request_.openmp = true;
        } else if (word.starts_with("-std=")) {
            const std::string standard = word.substr(5);
            const std::string year =
                standard.substr(std::min(standard.find("++"), standard.size()));
            const bool is_cpp = standard.starts_with("c++") || standard.starts_with("gnu++");
            if (is_cpp && (year == "++20" || year == "++2a"))
                request_.standard_20 = true;
            else if (!is_cpp || (year != "++11" && year != "++14" && year != "++17"))
                refuse("-std is '" + standard +
                       "'; it must be c++17, which is the default and stands for older ones, or "
                       "c++20.");
        } else if (word.size() > 1 && word[0] == '-' &&
                   std::string_view("IDUlL").find(word[1]) != std::string_view::npos &&
                   !is_of_nvcc(word)) {
            const std::string behind =
                word.size() > 2 ? "" : value("needs a value behind it, as in " + word + " NAME.");
            if (word.size() == 2 && behind.empty())
                refuse(word + " needs a value behind it, as in " + word + " NAME.");
            request_.options.push_back(word + behind);
        } else {
            return false;
        }
        return true;
    }

    const std::vector<std::string>& words_;
    std::size_t at_ = 0;
    bool only_compiles_ = false;
    std::string json_;
    Request request_;
};

bool is_text(const std::string& file)
{
    std::string start(std::size_t{1} << 16, ' ');
    start.resize(static_cast<std::size_t>(
        std::ifstream(file).read(start.data(), std::ssize(start)).gcount()));
    return start.find('\0') == start.npos;
}

} // namespace

bool is_source(const std::string& word)
{
    const std::string extension = std::filesystem::path("x" + word).extension();
    return extension == ".cu" || extension == ".cpp" || extension == ".cc" || extension == ".cxx" ||
           extension == ".c";
}

Request parse(const std::vector<std::string>& words)
{
    return Parser(words).parsed();
}

void require_no_output(const Request& request, const std::filesystem::path& input)
{
    if (!std::filesystem::is_regular_file(input))
        return;
    const auto require = [&](const std::string& option, const std::filesystem::path& output) {
        std::error_code missing; // what is not there yet is nobody's input
        if (std::filesystem::equivalent(output, input, missing))
            refuse(option + " would write over '" + input.string() +
                   "', which is read: give it another name.");
    };
    require("-o", request.program);
    for (const auto& [name, value] : request.environment)
        if (name == "MOVING_BYTES_JSON")
            require("--json", value);
}

void check_files(const Request& request)
{
    for (const std::string& file : request.files) {
        if (file.find('\n') != file.npos)
            refuse("the name of a file holds a line break, which no compiler's messages can name: "
                   "give it another.");
        if (!std::filesystem::is_regular_file(file) || access(file.c_str(), R_OK) != 0)
            refuse("cannot read '" + file + "'.");
        if (!is_text(file))
            refuse("'" + file +
                   "' is no source: it holds bytes that are no text. Name the .cu file, and "
                   "not what was compiled from it.");
        require_no_output(request, file);
    }
    require_no_output(request, request.archive);
    for (const std::string& argument : request.arguments)
        require_no_output(request, argument);
    // As root, what is linked would take the place of /dev/null.
    if (std::filesystem::exists(request.program) &&
        !std::filesystem::is_regular_file(request.program))
        refuse("'" + request.program.string() +
               "' is no file that a program could replace: give -o another name.");
    for (const auto& [name, value] : request.environment) {
        const std::filesystem::path path(value);
        // A file is replaced, which its folder has to allow; a device is written to.
        const bool device = std::filesystem::is_other(path);
        if (name == "MOVING_BYTES_CARD")
            require_no_output(request, path);
        if (name == "MOVING_BYTES_JSON" &&
            (std::filesystem::is_directory(path) ||
             access((device ? path : path.parent_path()).c_str(), W_OK) != 0))
            refuse("cannot write '" + value + "'.");
    }
}

} // namespace own_program
