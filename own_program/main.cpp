/// \file
/// compile_cuda [OPTION]... FILE... [ARCHIVE] -o PROGRAM   CUDA, C++ and C files of the reader's
/// own as one program compile_cuda [OPTION]... FILE... [ARGUMENT]...          the same, and runs
/// it: ./run mine.cu compile_cuda --check ...                                says what is wrong
/// with such words, and does nothing
///
/// What is in the archive takes the place of the report at the program's end. options.hpp has the
/// options. Ends with 2 and a sentence where something cannot be asked for, 1 where it does not
/// compile, and else with the program's status.
#include "own_program/compile.hpp"
#include "own_program/options.hpp"
#include "own_program/process.hpp"
#include "toolchain.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace {

using own_program::Refused;
using own_program::Request;

/// Where the program becomes: as asked for, or named after the first file.
std::filesystem::path program_of(const Request& request)
{
    if (!request.program.empty())
        return std::filesystem::absolute(request.program);
    return std::filesystem::path(own_program::toolchain::folder) /
           std::filesystem::path(request.files.front()).stem();
}

int compile(const Request& request, const std::filesystem::path& program)
{
    std::filesystem::create_directories(program.parent_path());
    std::optional<own_program::StillAtWork> still; // whoever compiles for a program is told by it
    if (request.program.empty())
        still.emplace("Still compiling " + request.files.front() + ".");
    return own_program::run_with_folder(
        program.parent_path(), [&](const std::filesystem::path& scratch) {
            try {
                own_program::compile(request, program, scratch);
                return 0;
            } catch (const Refused& refused) {
                if (!request.program.empty())
                    return refused.status(); // the caller has a sentence of his own
                std::string files;
                for (const std::string& file : request.files)
                    files += file + (&file == &request.files.back() ? "" : " ");
                std::fprintf(stderr, "run: %s: %s\n", files.c_str(), refused.what());
                return refused.status();
            }
        });
}

/// Returns only if that fails.
void run_program(const Request& request, const std::filesystem::path& program)
{
    for (const auto& [name, value] : request.environment)
        setenv(name.c_str(), value.c_str(), 1);
    std::string path = program;
    std::vector<char*> words = {path.data()};
    std::vector<std::string> arguments = request.arguments;
    for (std::string& argument : arguments)
        words.push_back(argument.data());
    words.push_back(nullptr);
    execv(path.c_str(), words.data());
}

} // namespace

int main(int argc, char** argv)
{
    try {
        Request request = own_program::parse(std::vector<std::string>(argv + 1, argv + argc));
        own_program::check_files(request);
        if (request.only_check)
            return 0;
        const bool runs = request.program.empty();
        request.registers = request.registers || runs;
        const std::filesystem::path program = program_of(request);
        if (const int status = compile(request, program); status != 0 || !runs)
            return status;
        run_program(request, program);
        std::perror("run: the program cannot be started");
        return 1;
    } catch (const Refused& refused) {
        std::fprintf(stderr, "run: %s\n", refused.what());
        return refused.status();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "run: %s\n", error.what());
        return 2;
    }
}
