// By nvcc, which knows CUDA itself.
#include "own_program/compile.hpp"

#include "own_program/process.hpp"
#include "toolchain.hpp"

#include <cstdio>
#include <filesystem>

namespace own_program {

void compile(const Request& request, const std::filesystem::path& program,
             const std::filesystem::path& scratch)
{
    const std::filesystem::path messages = file_in_memory();
    const auto run_or_refuse = [&](const Command& command) {
        const int status = run(command, messages);
        const std::string said = read_file(messages);
        std::fputs(said.c_str(), stderr);
        if (status != 0)
            throw why_none(said, program);
    };
    const bool checked = !request.archive.empty();
    const std::filesystem::path compiled = scratch / (checked ? "source.o" : "program");
    Command command = {toolchain::nvcc, "-O3", "-arch=native"};
    if (request.standard_20)
        command.push_back("-std=c++20");
    if (request.openmp)
        command.push_back("-Xcompiler=-fopenmp");
    command.insert(command.end(), request.options.begin(), request.options.end());
    command.insert(command.end(), request.files.begin(), request.files.end());
    if (checked)
        command.push_back("-c");
    command.insert(command.end(), {"-o", compiled});
    run_or_refuse(command);
    if (checked) {
        // Linked by the host's compiler: nvcc takes a path with a blank to the linker as two.
        Command link = {toolchain::cxx, compiled, "-Wl,--whole-archive", request.archive,
                        "-Wl,--no-whole-archive"};
        link.insert(link.end(), toolchain::libraries.begin(), toolchain::libraries.end());
        link.insert(link.end(), {"-o", scratch / "program"});
        run_or_refuse(link);
    }
    std::filesystem::rename(scratch / "program", program);
}

} // namespace own_program
