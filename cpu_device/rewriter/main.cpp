/// \file
/// launch_rewriter INPUT.cu OUTPUT.cpp [DEPFILE]
/// launch_rewriter --preprocessed INPUT OUTPUT      what a preprocessor made of a source
///
/// See files.hpp. Ends with 1 and one sentence on standard error when the source holds something
/// that the CPU device cannot run.
#include "rewriter/files.hpp"
#include "rewriter/source.hpp"

#include <exception>
#include <fstream>
#include <iostream>
#include <string_view>

namespace {

std::string escaped(const std::filesystem::path& file)
{
    std::string text;
    for (const char c : file.string())
        text += c == ' ' || c == '#' ? std::string{'\\', c} : c == '$' ? "$$" : std::string{c};
    return text;
}

} // namespace

int main(int argc, char** argv)
{
    if (argc != 3 && argc != 4) {
        std::cerr << "usage: launch_rewriter INPUT.cu OUTPUT.cpp [DEPFILE]\n";
        return 2;
    }
    try {
        if (std::string_view(argv[1]) == "--preprocessed") {
            launch_rewriter::rewrite_preprocessed(argv[argc - 2], argv[argc - 1]);
            return 0;
        }
        const auto files = launch_rewriter::rewrite_file(argv[1], argv[2]);
        if (argc == 4) {
            std::ofstream depfile(argv[3]);
            depfile << escaped(argv[2]) << ":";
            for (const auto& file : files)
                depfile << " " << escaped(file);
            depfile << "\n";
            if (!depfile.flush())
                throw std::runtime_error(std::string("cannot write '") + argv[3] + "'.");
        }
        return 0;
    } catch (const launch_rewriter::Unsupported& error) {
        std::cerr << error.what() << "\n";
    } catch (const std::exception& error) {
        std::cerr << "launch_rewriter: " << error.what() << "\n";
    }
    return 1;
}
