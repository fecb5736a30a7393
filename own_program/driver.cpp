#include "own_program/driver.hpp"

#include "own_program/compile.hpp"
#include "own_program/messages.hpp"
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

namespace own_program {
namespace {

/// Where the program becomes: as requested, or named after the first file.
std::filesystem::path program_of(const Request& request)
{
    if (!request.program.empty())
        return std::filesystem::absolute(request.program);
    return std::filesystem::path(toolchain::folder) /
           std::filesystem::path(request.files.front()).stem();
}

int make(const Request& request, const std::filesystem::path& program)
{
    std::filesystem::create_directories(program.parent_path());
    std::optional<StillAtWork> still; // whoever compiles for a program is told by it
    if (request.program.empty())
        still.emplace("Still compiling " + request.files.front() + ".");
    return run_with_folder(program.parent_path(), [&](const std::filesystem::path& scratch) {
        try {
            compile(request, program, scratch);
            return 0;
        } catch (const Refused& refused) {
            if (!request.program.empty() && refused.status() == 1)
                return 1; // the caller has a sentence of his own
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

Refused why_none(const std::string& messages, const std::filesystem::path& program)
{
    if (!full_disk(messages).empty())
        return {2, "cannot write " + program.string() +
                       ": its disk or that of temporary files is full, as the line above says; the "
                       "program is not at fault."};
    return {1, "this does not compile; the lines above say why."};
}

int run_driver(int argc, char** argv)
{
    try {
        Request request = parse(std::vector<std::string>(argv + 1, argv + argc));
        check_files(request);
        if (request.only_check)
            return 0;
        const bool runs = request.program.empty();
        request.registers = request.registers || runs;
        const std::filesystem::path program = program_of(request);
        if (const int status = make(request, program); status != 0 || !runs)
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

} // namespace own_program
