/// \file
/// What nvcc said of the program's kernels.
#include "own_program/shapes.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace own_program {

/// compile_cuda leaves "24 void scale<int>(int*)" beside the program.
int registers_of(const std::string& kernel)
{
    static const std::vector<std::pair<int, std::string>> known = [] {
        std::vector<std::pair<int, std::string>> found;
        std::error_code none;
        const auto program = std::filesystem::read_symlink("/proc/self/exe", none);
        std::ifstream list(program.string() + ".registers");
        int registers = 0;
        for (std::string name; list >> registers && std::getline(list >> std::ws, name);)
            found.emplace_back(registers, name.starts_with("void ") ? name.substr(5) : name);
        return found;
    }();
    int most = 0; // of overloads, and of what a template became
    for (const auto& [registers, name] : known)
        if (name == kernel || name.starts_with(kernel + "(") || name.starts_with(kernel + "<"))
            most = std::max(most, registers);
    return most;
}

} // namespace own_program
