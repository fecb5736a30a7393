/// \file
/// What nvcc says of the program's kernels, where it is installed.
#include "own_program/accesses.hpp"
#include "own_program/shapes.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <system_error>

namespace own_program {
namespace {

/// What compile_cuda leaves there.
std::string beside_program(const char* ending)
{
    std::error_code none;
    return std::filesystem::read_symlink("/proc/self/exe", none).string() + ending;
}

} // namespace

int registers_of(const std::string& kernel)
{
    // The kernel with its parameters, "void scale<int>(int*)", and the registers of a thread. Asked
    // at each launch, and when the program has ended: never destroyed.
    static const auto& kernels = *new const std::multimap<std::string, int>([] {
        std::ifstream file(beside_program(".registers"));
        std::multimap<std::string, int> found;
        std::string signature;
        for (int registers = 0; file >> registers && std::getline(file >> std::ws, signature);)
            found.emplace(signature, registers);
        return found;
    }());
    int fewest = 0;
    for (const auto& [signature, registers] : kernels) {
        const std::string name = signature.starts_with("void ") ? signature.substr(5) : signature;
        const bool is_it =
            name == kernel || name.starts_with(kernel + "(") || name.starts_with(kernel + "<");
        if (is_it && (fewest == 0 || registers < fewest))
            fewest = registers;
    }
    return fewest;
}

double atomics_left(const Accesses& accesses)
{
    static const auto& combined = *new const std::set<std::string>([] {
        std::ifstream file(beside_program(".combined"));
        return std::set<std::string>(std::istream_iterator<std::string>(file), {});
    }());
    std::set<std::uint32_t> seen;
    std::uint64_t asked = 0, left = 0;
    for (const Access& access : accesses.worst) {
        if (combined.empty() || access.step != cpu_device::Step::atomic ||
            !seen.insert(access.site).second)
            continue;
        asked += access.same;
        left += combined.count(cpu_device::line_of_site(access.site)) != 0 ? access.requests
                                                                           : access.same;
    }
    return asked == 0 ? 1 : static_cast<double>(left) / static_cast<double>(asked);
}

} // namespace own_program
