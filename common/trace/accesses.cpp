#include "common/trace/accesses.hpp"

#include <cpu_device/counts.hpp>

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>
#include <utility>

namespace common {
namespace {

using cpu_device::BlockTrace;
using cpu_device::Counts;
using cpu_device::LaunchTrace;
using cpu_device::Step;
using cpu_device::TracedSector;
using cpu_device::TracedStep;

void add_step(Access& access, const TracedStep& step, const BlockTrace& block)
{
    ++access.requests;
    access.lanes += step.lanes;
    access.most_lanes = std::max<std::uint64_t>(access.most_lanes, step.lanes);
    access.wanted += std::uint64_t{step.lanes} * step.lane_bytes;
    access.irregular += step.irregular;
    access.wavefronts += step.count > 0 ? step.wavefronts : 0;
    access.sectors += step.count;
    std::uint64_t bytes = 0;
    std::uint32_t same = 0;
    for (std::uint32_t i = step.first; i < step.first + step.count; ++i) {
        bytes += static_cast<std::uint64_t>(std::popcount(block.sectors[i].bytes));
        same = std::max(same, block.sectors[i].same);
        access.runs +=
            i == step.first || block.sectors[i].number != block.sectors[i - 1].number + 1;
    }
    access.bytes += bytes;
    access.fewest += (bytes + Counts::sector_bytes - 1) / Counts::sector_bytes;
    access.best_wavefronts += (bytes + cpu_device::line_bytes - 1) / cpu_device::line_bytes;
    access.same += same;
}

/// Of the bytes of all sectors that the blocks touch, the share that somebody wants. The first
/// sectors tell: a block touches its neighbours' sectors, if any does, soon after them.
double used_share(const LaunchTrace& trace)
{
    constexpr std::size_t enough = std::size_t{1} << 16;
    std::map<std::uintptr_t, std::uint32_t> wanted; // bytes of each sector
    for (const BlockTrace& block : trace.blocks)
        if (wanted.size() < enough)
            for (const TracedSector& sector : block.sectors)
                wanted[sector.number] |= sector.bytes;
    double bytes = 0;
    for (const auto& [sector, of_it] : wanted)
        bytes += std::popcount(of_it);
    return wanted.empty() ? 1 : bytes / static_cast<double>(Counts::sector_bytes * wanted.size());
}

/// The bytes that a warp touches by an access, of each sector: access, sector, block and warp;
/// and those of all its requests.
using Touches = std::map<std::tuple<std::size_t, std::uintptr_t, std::uint64_t, std::size_t>,
                         std::pair<std::uint32_t, int>>;

/// Says of each access how many warps share what it touches, and how often one comes by it.
void find_sharing(std::vector<Access>& all, const Touches& touches)
{
    std::vector<double> of_warps(all.size()), bytes(all.size()), of_requests(all.size());
    std::map<std::pair<std::size_t, std::uintptr_t>, std::uint32_t> of_all; // warps
    for (const auto& [touch, bytes_touched] : touches) {
        const auto [access, sector, block, warp] = touch;
        const auto [wanted, requested] = bytes_touched;
        of_warps[access] += std::popcount(wanted);
        of_requests[access] += requested;
        of_all[{access, sector}] |= wanted;
    }
    for (const auto& [touch, wanted] : of_all)
        bytes[touch.first] += std::popcount(wanted);
    for (std::size_t i = 0; i < all.size(); ++i)
        if (bytes[i] > 0) {
            all[i].warps_of_byte = of_warps[i] / bytes[i];
            all[i].times_of_byte = of_requests[i] / of_warps[i];
        }
}

/// The fields by which an access can be the worst.
constexpr std::uint64_t Access::*questions[] = {
    &Access::requests, &Access::sectors, &Access::wavefronts, &Access::conflicts, &Access::same};

/// A program may launch thousands of kernels: of each, no more is kept than can be told.
std::vector<Access> worst_of(const std::vector<Access>& all)
{
    std::vector<Access> worst; // an access more than once, perhaps
    for (const Step step :
         {Step::load, Step::store, Step::atomic, Step::shared_load, Step::shared_store})
        for (const auto question : questions) {
            const Access* most = nullptr;
            for (const Access& access : all)
                if (access.step == step && (most == nullptr || access.*question > most->*question))
                    most = &access;
            if (most != nullptr)
                worst.push_back(*most);
        }
    return worst;
}

} // namespace

std::string Access::name() const
{
    const char* const kind = step == Step::load          ? "load"
                             : step == Step::store       ? "store"
                             : step == Step::atomic      ? "atomic"
                             : step == Step::shared_load ? "shared load"
                                                         : "shared store";
    const std::string line = cpu_device::line_of_site(site);
    return line.empty() ? std::string("a ") + kind : std::string("the ") + kind + " at " + line;
}

Accesses accesses_of(const LaunchTrace& trace)
{
    Accesses found;
    std::vector<Access> all;
    Touches touches;
    std::map<std::string, std::uint64_t> barriers;
    std::vector<std::size_t> executed_by; // the last warp of each access
    std::size_t begun = 0;                // warps
    std::uint64_t requests = 0, executed = 0;
    constexpr std::size_t enough = std::size_t{1} << 11;
    constexpr unsigned few = 16; // sectors of one access and one warp
    for (const BlockTrace& block : trace.blocks) {
        found.warps += static_cast<double>(block.warps.size());
        for (const auto& [line, waits] : block.barriers)
            barriers[line] += waits;
        for (std::size_t number = 0; number < block.warps.size(); ++number) {
            ++begun;
            std::vector<unsigned> touched; // by this warp, by access
            std::size_t last = 0; // where the one before stands: loops come by the same again
            for (const TracedStep& step : block.warps[number]) {
                if (step.step > Step::shared_store)
                    continue;
                const auto is_it = [&](const Access& access) {
                    return access.site == step.site && access.step == step.step;
                };
                if (last + 1 < all.size() && is_it(all[last + 1]))
                    ++last;
                else if (last >= all.size() || !is_it(all[last])) {
                    last = static_cast<std::size_t>(std::ranges::find_if(all, is_it) - all.begin());
                    if (last == all.size())
                        all.push_back({.step = step.step, .site = step.site});
                }
                add_step(all[last], step, block);
                if (step.step <= Step::atomic) {
                    executed_by.resize(all.size());
                    ++requests;
                    executed += executed_by[last] != begun;
                    executed_by[last] = begun;
                }
                touched.resize(all.size());
                for (std::uint32_t i = step.first; i < step.first + step.count &&
                                                   touches.size() < enough && touched[last]++ < few;
                     ++i) {
                    auto& [wanted, requested] =
                        touches[{last, block.sectors[i].number, block.block, number}];
                    wanted |= block.sectors[i].bytes;
                    requested += std::popcount(block.sectors[i].bytes);
                }
            }
        }
        for (const auto& [site, wavefronts] : block.conflicts)
            for (Access& access : all)
                if (access.site == site &&
                    (access.step == Step::shared_load || access.step == Step::shared_store))
                    access.conflicts += wavefronts;
    }
    if (trace.blocks.size() == trace.grid_blocks && requests < trace.requests) // no room for all
        found.warps *= static_cast<double>(requests) / static_cast<double>(trace.requests);
    find_sharing(all, touches);
    found.worst = worst_of(all);
    if (executed > 0)
        found.rounds = static_cast<double>(requests) / static_cast<double>(executed);
    std::uint64_t most_waits = 0;
    for (const auto& [line, waits] : barriers) {
        found.barriers += static_cast<double>(waits) / static_cast<double>(trace.blocks.size());
        found.barrier = waits > most_waits ? line : found.barrier;
        most_waits = std::max(most_waits, waits);
    }
    struct
    {
        double all = 0, best = 0;
    } loads, stores, wavefronts;
    for (const Access& access : all) {
        wavefronts.best += static_cast<double>(std::min(access.wavefronts, access.best_wavefronts));
        wavefronts.all += static_cast<double>(access.wavefronts);
        if (access.step == Step::atomic || access.sectors == 0)
            continue;
        auto& sectors = access.step == Step::load ? loads : stores;
        sectors.all += static_cast<double>(access.sectors);
        sectors.best += static_cast<double>(access.fewest);
    }
    const auto share = [](double part, double whole) { return whole == 0 ? 1 : part / whole; };
    found.loads = share(loads.best, loads.all);
    found.stores = share(stores.best, stores.all);
    found.wavefronts = share(wavefronts.best, wavefronts.all);
    const bool scattered = std::ranges::any_of(found.worst, [](const Access& access) {
        return 4 * access.bytes < 3 * Counts::sector_bytes * access.sectors;
    });
    found.used = scattered ? used_share(trace) : 1;
    return found;
}

} // namespace common
