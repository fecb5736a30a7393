#include "own_program/messages.hpp"

#include "tests/catch.hpp"

namespace {

const std::vector<std::string> own = {"/device/"};

std::string explained(const std::string& messages)
{
    return own_program::explain(messages, own);
}

} // namespace

TEST_CASE(
    "a name that the CPU device does not have is told with its place and the remedy, once a kind")
{
    const std::string text =
        explained("mine.cu:3:5: error: 'cublasCreate' was not declared in this scope\n"
                  "    3 |     cublasCreate(&handle);\n"
                  "mine.cu:4:5: error: 'cublasSgemm' was not declared in this scope\n"
                  "mine.cu:9:1: error: 'typo' was not declared in this scope\n");
    CHECK(text == "mine.cu:3: cublasCreate belongs to cuBLAS, which runs on a GPU only: put a "
                  "kernel of your own in "
                  "its place.\n");
}

TEST_CASE("of other errors the first is shown with its line, and how many there are")
{
    CHECK(explained("mine.cu: In function 'int main()':\n"
                    "mine.cu:7:5: error: 'x' was not declared in this scope\n"
                    "    7 |     x = 1;\n"
                    "      |     ^\n"
                    "mine.cu:8:5: error: 'y' was not declared in this scope\n"
                    "    8 |     y = 1;\n") ==
          "mine.cu:7: error: 'x' was not declared in this scope\n"
          "    7 |     x = 1;\n"
          "      |     ^\n"
          "(and 1 more error)\n");
}

TEST_CASE("what nvcc compiles and the CPU device does not is told by the name that it lacks")
{
    const std::string messages = "mine.cu:7:5: error: 'x' was not declared in this scope\n"
                                 "mine.cu:8:5: error: 'y' was not declared in this scope\n";
    CHECK(own_program::explain(messages, own, true) ==
          "mine.cu:7: error: 'x' was not declared in this scope\n(and 1 more error)\n"
          "nvcc compiles this: what the CPU device lacks is x.\n");
    CHECK(own_program::explain("mine.cu:7:5: error: no matching function\n", own, true) ==
          "mine.cu:7: error: no matching function\n"
          "nvcc compiles this: what the CPU device lacks is told above.\n");
}

TEST_CASE("what nvcc refuses is told by its first error, and not what its installation lacks")
{
    CHECK(own_program::refusal("mine.cu",
                               "ptxas info    : 0 bytes gmem\n"
                               "mine.cu(6): error: declaration is incompatible with \"all\"\n"
                               "1 error detected in the compilation of \"mine.cu\".\n") ==
          "nvcc refuses mine.cu, so that no GPU runs it as it is: mine.cu(6): error: declaration "
          "is incompatible with \"all\"\n");
    for (const char* other : {"nvcc fatal   : Unsupported gpu architecture 'sm_90'\n",
                              "mine.cu(1): catastrophic error: cannot open source file \"a.h\"\n",
                              "cc1plus: error: unrecognized option\n"})
        CHECK(own_program::refusal("mine.cu", other).empty());
}

TEST_CASE("an error inside a header of the CPU device is told at the reader's line")
{
    CHECK(explained("In file included from mine.cu:2:\n"
                    "/device/warp.hpp:9:2: error: no matching function\n"
                    "    9 |  g();\n") == "mine.cu:2: error: no matching function\n");
}

TEST_CASE("what the linker misses is told without its own words")
{
    CHECK(explained("/usr/bin/ld: /t/0.o: in function `main':\n"
                    "mine.cu:4: undefined reference to `gold(float*, int)'\n"
                    "collect2: error: ld returned 1 exit status\n")
              .find("mine.cu:4: nothing defines gold(float*, int), which the program calls") == 0);
    CHECK(explained("/device/call.hpp:7: undefined reference to `k(float*)'\n"
                    "/usr/bin/ld: /t/0.o:(.data.rel.ro+0x0): undefined reference to `k(float*)'\n")
              .find("the program: nothing defines k(float*), which") == 0);
    CHECK(explained("mine.cu:4: undefined reference to `gold()'\n"
                    "mine.cu:9: undefined reference to `gold()'\n")
              .find('\n') == explained("mine.cu:4: undefined reference to `gold()'\n").size() - 1);
    CHECK(explained("/usr/bin/ld: b.o: multiple definition of `f()'; a.o: first defined here\n") ==
          "Two of the files define f(): name only one of them.\n");
}

TEST_CASE("of a full disk what the tool says is kept, and nothing else")
{
    const std::string line = "/tmp/a.s: Fatal error: can't write to 0.o: 'No space left on device'";
    CHECK(explained("/tmp/a.s: Assembler messages:\n" + line + "\na.s: No such file\n") ==
          line + '\n');
    CHECK(own_program::full_disk("mine.cu:1: error: no space left on device\n").empty());
}

TEST_CASE("a header that is not there is named, and the remedy")
{
    CHECK(explained("mine.cu:1:10: fatal error: mine.h: No such file or directory\n") ==
          "mine.cu:1: there is no 'mine.h': name its folder with -I DIR.\n");
}

TEST_CASE("at most five sentences are said, and how many are left")
{
    std::string messages;
    for (char name = 'a'; name < 'h'; ++name)
        messages += std::string("ld: b.o: multiple definition of `") + name + "'\n";
    const std::string text = explained(messages);
    CHECK(std::count(text.begin(), text.end(), '\n') == 6);
    CHECK(text.find("... and 2 more of these.\n") != text.npos);
}

TEST_CASE("a sentence of the rewriter stays as it is")
{
    const std::string sentence =
        "mine.cu:4: inline PTX cannot run on the CPU device; write it in C++.\n";
    CHECK(explained(sentence) == sentence);
}
