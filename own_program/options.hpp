/// \file
/// The words behind `./run` that are a reader's own program: files, options of the compiler, what
/// is taken for the count, and the program's arguments.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace own_program {

/// What cannot be done, and why: one sentence.
class Refused : public std::runtime_error
{
  public:
    Refused(int status, const std::string& sentence) : std::runtime_error(sentence), status_(status)
    {}
    [[nodiscard]] int status() const { return status_; }

  private:
    int status_; ///< that the command ends with: 1 does not compile, 2 usage
};

struct Request
{
    std::vector<std::string> files;     ///< .cu, .cpp, .cc, .cxx and .c, as they were named
    std::vector<std::string> options;   ///< -I, -D, -U, -l and -L, each with its value, in order
    std::vector<std::string> arguments; ///< of the program
    std::vector<std::pair<std::string, std::string>> environment; ///< of the program
    std::filesystem::path archive; ///< takes the place of the report at the program's end; or empty
    std::filesystem::path program; ///< where it becomes; empty if it is to run
    bool standard_20 = false;      ///< else C++17
    bool openmp = false;
    bool registers = false; ///< ask nvcc, where it is installed
    bool only_check = false;
};

/// True of a name that ends as a source does.
[[nodiscard]] bool is_source(const std::string& word);

/// Takes the words for what they are. Throws Refused for those that nothing can be made of.
[[nodiscard]] Request parse(const std::vector<std::string>& words);

/// Throws Refused if what the request writes would take the place of a file that it reads: the
/// same device and inode, under whatever name.
void require_no_output(const Request& request, const std::filesystem::path& input);

/// Throws Refused if a file cannot be read or is no text, or if what is requested cannot be
/// written, or is among what is read.
void check_files(const Request& request);

} // namespace own_program
