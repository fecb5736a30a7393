#include "own_program/compiled.hpp"

#include <cpu_device/trace.hpp>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <system_error>
#include <vector>

namespace own_program {
namespace {

/// compile_cuda leaves them beside the program.
const std::vector<MachineCode>& all_kernels()
{
    static const std::vector<MachineCode> kernels = [] {
        std::error_code none;
        const auto program = std::filesystem::read_symlink("/proc/self/exe", none);
        std::ifstream file(program.string() + ".machine_code");
        return from_text({std::istreambuf_iterator<char>(file), {}});
    }();
    return kernels;
}

/// Those of that name: overloads, and what a template became.
std::vector<const MachineCode*> named(const std::string& kernel)
{
    std::vector<const MachineCode*> found;
    for (const MachineCode& code : all_kernels()) {
        const std::string name =
            code.kernel.starts_with("void ") ? code.kernel.substr(5) : code.kernel;
        if (name == kernel || name.starts_with(kernel + "(") || name.starts_with(kernel + "<"))
            found.push_back(&code);
    }
    return found;
}

/// The lines of sites, each of which takes some tens of milliseconds to find.
const std::string& line_of(std::uint32_t site)
{
    static auto& lines = *new std::map<std::uint32_t, std::string>;
    const auto [line, is_new] = lines.try_emplace(site);
    if (is_new)
        line->second = cpu_device::line_of_site(site);
    return line->second;
}

/// True for an atomic that one lane executes for its warp.
bool is_combined(const MachineCode& code, const LineRequests& asked)
{
    return asked.kind == AccessKind::atomic &&
           std::ranges::any_of(code.blocks, [&](const BasicBlock& block) {
               return std::ranges::any_of(block.memory, [&](const MemoryInstruction& access) {
                   return access.combined && access.line == asked.line;
               });
           });
}

} // namespace

int registers_of(const std::string& kernel)
{
    int most = 0;
    for (const MachineCode* code : named(kernel))
        most = std::max(most, code->registers);
    return most;
}

Executed executed_in(const cpu_device::LaunchRecord& launch, const Accesses& accesses)
{
    const std::vector<const MachineCode*> codes = named(launch.kernel);
    if (codes.size() != 1 || codes[0]->blocks.empty() || accesses.warps == 0)
        return {};
    const auto warps = static_cast<double>(accesses.warps);
    std::vector<LineRequests> requests;
    std::uint64_t traced = 0, combined = 0;
    for (const SiteRequests& site : accesses.all) {
        const auto each_warp = [warps](std::uint64_t of_all) {
            return static_cast<double>(of_all) / warps;
        };
        requests.push_back({.kind = static_cast<AccessKind>(site.step),
                            .line = line_of(site.site),
                            .requests = each_warp(site.requests),
                            .lane_bytes = site.lane_bytes,
                            .shared = each_warp(site.shared),
                            .as_double = each_warp(site.as_double),
                            .as_quad = each_warp(site.as_quad),
                            .turns = each_warp(site.turns)});
        traced += site.requests;
        if (is_combined(*codes[0], requests.back()))
            combined += site.same - site.requests;
    }
    const cpu_device::Counts& counts = launch.counts;
    if (counts.local_load_requests + counts.local_store_requests > 0)
        requests.push_back({AccessKind::local, "", 1});
    const auto made = static_cast<double>(
        counts.load_requests + counts.store_requests + counts.atomic_requests +
        counts.shared_load_requests + counts.shared_store_requests + counts.shared_atomic_requests);
    Executed all = executed(*codes[0], requests);
    all.requests = static_cast<double>(traced) / warps;
    all.combined = static_cast<double>(combined) / warps;
    // Other blocks do more, or less; and of long loops the trace has the first rounds.
    all *= traced == 0 ? 0 : warps * made / static_cast<double>(traced);
    return all;
}

} // namespace own_program
