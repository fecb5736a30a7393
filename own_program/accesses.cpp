#include "own_program/accesses.hpp"

#include "common/model/cache_model.hpp"
#include "own_program/shapes.hpp"

#include <cpu_device/launches.hpp>

#include <algorithm>
#include <bit>
#include <map>
#include <utility>

namespace own_program {
namespace {

using cpu_device::BlockTrace;
using cpu_device::Counts;
using cpu_device::LaunchTrace;
using cpu_device::Step;
using cpu_device::TracedSector;
using cpu_device::TracedStep;

/// By launch. Never destroyed: the report is made while the program ends.
std::map<std::size_t, Accesses>& all_accesses()
{
    static auto& instance = *new std::map<std::size_t, Accesses>;
    return instance;
}

void add_step(Access& access, const TracedStep& step, const BlockTrace& block)
{
    ++access.requests;
    access.lanes += step.lanes;
    access.irregular += step.irregular;
    access.wavefronts += step.count > 0 ? step.wavefronts : 0;
    access.sectors += step.count;
    std::uint64_t bytes = 0;
    std::uint32_t same = 0;
    for (std::uint32_t i = step.first; i < step.first + step.count; ++i) {
        bytes += static_cast<std::uint64_t>(std::popcount(block.sectors[i].bytes));
        same = std::max(same, block.sectors[i].same);
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
    std::vector<TracedSector> touched;
    for (const BlockTrace& block : trace.blocks)
        if (touched.size() < enough)
            touched.insert(touched.end(), block.sectors.begin(), block.sectors.end());
    std::ranges::sort(touched, {}, &TracedSector::number);
    double sectors = 0, bytes = 0;
    for (auto first = touched.begin(); first != touched.end();) {
        std::uint32_t wanted = 0;
        const auto number = first->number;
        for (; first != touched.end() && first->number == number; ++first)
            wanted |= first->bytes;
        sectors += 1;
        bytes += std::popcount(wanted);
    }
    return sectors == 0 ? 1 : bytes / sectors / Counts::sector_bytes;
}

/// The fields by which an access can be the worst.
constexpr std::uint64_t Access::*questions[] = {
    &Access::requests, &Access::sectors, &Access::wavefronts, &Access::conflicts, &Access::same};

/// A program may launch thousands of kernels: of each, no more is kept than can be told.
std::vector<Access> worst_of(const std::vector<Access>& all)
{
    std::vector<Access> worst;
    const auto keep = [&](const Access& access) {
        const auto known = std::ranges::find_if(worst, [&](const Access& other) {
            return other.site == access.site && other.step == access.step;
        });
        if (known == worst.end())
            worst.push_back(access);
    };
    for (const Step step :
         {Step::load, Step::store, Step::atomic, Step::shared_load, Step::shared_store})
        for (const auto question : questions) {
            const Access* most = nullptr;
            for (const Access& access : all)
                if (access.step == step && (most == nullptr || access.*question > most->*question))
                    most = &access;
            if (most != nullptr)
                keep(*most);
        }
    return worst;
}

} // namespace

std::string Access::name() const
{
    const char* const kind = step == Step::load          ? "load"
                             : step == Step::store       ? "store"
                             : step == Step::atomic      ? "atomic"
                             : step == Step::shared_load ? "load of shared memory"
                                                         : "store to shared memory";
    const std::string line = cpu_device::line_of_site(site);
    return line.empty()
               ? std::string("a ") + kind
               : std::string("the ") + kind + (step < Step::shared_load ? " of " : " at ") + line;
}

Accesses accesses_of(const LaunchTrace& trace)
{
    Accesses found;
    std::vector<Access> all;
    for (const BlockTrace& block : trace.blocks) {
        found.warps += block.warps.size();
        for (const auto& warp : block.warps) {
            std::size_t last = 0; // where the one before stands: loops come by the same again
            for (const TracedStep& step : warp) {
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
            }
        }
        for (const cpu_device::TracedConflicts& one : block.conflicts)
            for (Access& access : all)
                if (access.site == one.site &&
                    (access.step == Step::shared_load || access.step == Step::shared_store))
                    access.conflicts += one.wavefronts;
    }
    found.worst = worst_of(all);
    std::uint64_t loads[2] = {}, stores[2] = {}, wavefronts[2] = {}; // at best, and as it is
    for (const Access& access : all) {
        wavefronts[0] += std::min(access.wavefronts, access.best_wavefronts);
        wavefronts[1] += access.wavefronts;
        if (access.step == Step::atomic || access.sectors == 0)
            continue;
        auto& sectors = access.step == Step::load ? loads : stores;
        sectors[0] += access.fewest;
        sectors[1] += access.sectors;
    }
    const auto share = [](const std::uint64_t(&of)[2]) {
        return of[1] == 0 ? 1 : static_cast<double>(of[0]) / static_cast<double>(of[1]);
    };
    found.loads = share(loads);
    found.stores = share(stores);
    found.wavefronts = share(wavefronts);
    const bool scattered = std::ranges::any_of(found.worst, [](const Access& access) {
        return 4 * access.bytes < 3 * Counts::sector_bytes * access.sectors;
    });
    found.used = scattered ? used_share(trace) : 1;
    return found;
}

void watch_accesses()
{
    cpu_device::set_trace_sink([](const LaunchTrace& trace) {
        all_accesses()[cpu_device::launches().size()] = accesses_of(trace);
        return common::simulate_caches(trace, *modelled_card());
    });
    cpu_device::set_detail(cpu_device::Detail::traffic);
}

const Accesses* accesses_of(std::size_t launch)
{
    const auto found = all_accesses().find(launch);
    return found == all_accesses().end() ? nullptr : &found->second;
}

} // namespace own_program
