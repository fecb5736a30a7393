#include "own_program/options.hpp"

#include "tests/catch.hpp"

#include <unistd.h>

#include <cstdlib>
#include <fstream>

using own_program::parse;
using own_program::Request;
using Words = std::vector<std::string>;

namespace {

/// The sentence with which words are refused; empty if they are not.
std::string refusal(const Words& words)
{
    try {
        check_files(parse(words));
    } catch (const own_program::Refused& refused) {
        CHECK(refused.status() == 2);
        return refused.what();
    }
    return {};
}

bool holds(const std::string& text, const std::string& part)
{
    return text.find(part) != text.npos;
}

std::string variable(const Request& request, const std::string& name)
{
    for (const auto& [known, value] : request.environment)
        if (known == name)
            return value;
    return "unset";
}

/// A new folder that is the current one while this lives.
class Folder
{
  public:
    Folder() : before_(std::filesystem::current_path())
    {
        std::string name = std::filesystem::temp_directory_path() / "options XXXXXX";
        path_ = mkdtemp(name.data());
        std::filesystem::current_path(path_);
    }
    ~Folder()
    {
        std::filesystem::current_path(before_);
        std::filesystem::remove_all(path_);
    }
    static void write(const std::string& name, const std::string& text)
    {
        std::ofstream(name) << text;
    }
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  private:
    std::filesystem::path before_, path_;
};

} // namespace

TEST_CASE("files and options of the compiler may stand in any order, and make one program")
{
    const Folder folder;
    Folder::write("a.cu", "");
    Folder::write("b.cpp", "");
    for (const Words& words :
         {Words{"-I", "dir", "-DN=3", "-std=c++20", "-fopenmp", "-l", "m", "a.cu", "b.cpp"},
          Words{"a.cu", "-Idir", "-D", "N=3", "b.cpp", "-std=gnu++2a", "-fopenmp", "-lm"}}) {
        Words all = words;
        all.insert(all.end(), {"--", "-D", "x.cu"});
        const Request request = parse(all);
        CHECK(request.files == Words{"a.cu", "b.cpp"});
        CHECK(request.options == Words{"-Idir", "-DN=3", "-lm"});
        CHECK(request.arguments == Words{"-D", "x.cu"});
        CHECK(request.standard_20);
        CHECK(request.openmp);
        CHECK(request.program.empty());
    }
    CHECK_FALSE(parse({"-std=c++14", "a.cu"}).standard_20);
}

TEST_CASE("what is behind the first file and is no file goes to the program")
{
    const Folder folder;
    Folder::write("mine too.cu", "");
    const Request request = parse({"mine too.cu", "a b", "-x", "none.cu", "7", "--", "--json"});
    CHECK(request.files == Words{"mine too.cu"});
    CHECK(request.arguments == Words{"a b", "-x", "none.cu", "7", "--json"});
}

TEST_CASE("what only nvcc needs is taken, and has no meaning")
{
    const Request request =
        parse({"-O3", "-arch=sm_90", "-gencode", "arch=compute_90,code=sm_90", "-lineinfo", "-dc",
               "--expt-relaxed-constexpr", "--extended-lambda", "-Xptxas", "-v", "a.cu"});
    CHECK(request.files == Words{"a.cu"});
    CHECK(request.options.empty());
    CHECK(request.arguments.empty());
}

TEST_CASE("what is said of the count goes to the program's environment, and not to its arguments")
{
    const Folder folder;
    Folder::write("mine.cu", "");
    for (const Words& words : {Words{"mine.cu", "1", "--json", "x.json", "--seed", "5", "2"},
                               Words{"mine.cu", "--seed=5", "1", "--json=x.json", "2"}}) {
        const Request request = parse(words);
        CHECK(request.arguments == Words{"1", "2"});
        CHECK(variable(request, "MOVING_BYTES_JSON") == folder.path() / "x.json");
        CHECK(variable(request, "MOVING_BYTES_SEED") == "5");
        CHECK(variable(request, "MOVING_BYTES_CARD") == "unset");
    }
    CHECK(variable(parse({"mine.cu", "--devices", "2"}), "MOVING_BYTES_DEVICES") == "2");
    CHECK(variable(parse({"mine.cu", "--count=all"}), "MOVING_BYTES_COUNT") == "all");
    CHECK(variable(parse({"mine.cu", "--card=t4"}), "MOVING_BYTES_CARD") == "t4");
    CHECK(variable(parse({"mine.cu", "--no-model"}), "MOVING_BYTES_CARD") == "none");
    for (const std::string& seed : {std::string("0"), std::string("18446744073709551615"),
                                    std::string(30, '0'), std::string(30, '0') + "7"})
        CHECK(variable(parse({"mine.cu", "--seed", seed}), "MOVING_BYTES_SEED") == seed);
}

TEST_CASE("words that nothing can be made of are refused by a sentence with the limit")
{
    const Folder folder;
    Folder::write("a.cu", "");
    const std::pair<const char*, Words> refused[] = {
        {"c++17", {"-std=c++98", "a.cu"}},
        {"c++20", {"-std=c++23", "a.cu"}},
        {"-std is 'f++17'", {"-std=f++17", "a.cu"}},
        {"-I needs", {"a.cu", "-I"}},
        {"'-frobnicate' is no option", {"-frobnicate", "a.cu"}},
        {"needs the name of a GPU", {"a.cu", "--card"}},
        {"1 or more", {"a.cu", "--count", "0"}},
        {"from 1 to 4", {"a.cu", "--devices", "5"}},
        {"needs a file", {"a.cu", "--json"}},
        {"needs a file", {"a.cu", "--json="}},
        {"whole number", {"a.cu", "--seed", "x"}},
        {"18446744073709551615", {"a.cu", "--seed=18446744073709551616"}},
        {"18446744073709551615", {"a.cu", "--seed", std::string(30, '9')}},
        {"no program is left to run", {"--json", "a.cu"}},
        {"name the .cu file", {"-DN=3"}},
        {"cannot read 'other.cu'", {"other.cu"}},
        {"cannot write", {"a.cu", "--json", "/no/such/x.json"}},
        {"cannot write", {"a.cu", "--json", "."}},
        {"cannot read '?[2Jx.cu'", {"\x1b[2Jx.cu"}},
        {"'/dev/null' is no file", {"a.cu", "-o", "/dev/null"}},
        {"'.' is no file", {"a.cu", "-o", "."}}};
    for (const auto& [part, words] : refused) {
        const std::string sentence = refusal(words);
        INFO(part << " / " << sentence);
        CHECK(holds(sentence, part));
    }
    CHECK(refusal({"a.cu"}).empty());
    CHECK(refusal({"a.cu", "--json", "/dev/null"}).empty());
}

TEST_CASE("a file that is no text, or whose name no compiler can say, is refused and not printed")
{
    const Folder folder;
    Folder::write("compiled.cu", std::string("\x7f"
                                             "ELF\0\0\1",
                                             7));
    CHECK(holds(refusal({"compiled.cu"}), "no source"));
    Folder::write("two\nlines.cu", "");
    CHECK(holds(refusal({"two\nlines.cu"}), "line break"));
}

TEST_CASE("with -o a program is made and not run")
{
    const Request request = parse({"answer.cu", "goals.a", "-o", "program"});
    CHECK(request.files == Words{"answer.cu"});
    CHECK(request.archive == "goals.a");
    CHECK(request.program == "program");
}
