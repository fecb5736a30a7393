#include "own_program/accesses.hpp"

#include "common/model/cache_model.hpp"
#include "own_program/compiled.hpp"
#include "own_program/shapes.hpp"

#include <cpu_device/launches.hpp>

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>
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
std::map<std::size_t, Accesses>& all_accesses = *new std::map<std::size_t, Accesses>;

void add_step(Access& access, const TracedStep& step, const BlockTrace& block)
{
    ++access.requests;
    access.lanes += step.lanes;
    access.wanted += std::uint64_t{step.lanes} * step.lane_bytes;
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

/// A sector that a warp touches by an access.
struct Touch
{
    std::size_t access;
    std::uintptr_t sector;
    std::uint64_t block;
    std::size_t warp;
    std::uint32_t bytes;
};

/// Says of each access how many warps share what it touches.
void find_sharing(std::vector<Access>& all, std::vector<Touch>& touches)
{
    std::ranges::sort(touches, {}, [](const Touch& touch) {
        return std::tuple(touch.access, touch.sector, touch.block, touch.warp);
    });
    struct Sums
    {
        double bytes = 0, of_warps = 0;
    };
    std::vector<Sums> sums(all.size());
    for (auto touch = touches.begin(); touch != touches.end();) {
        Sums& sum = sums[touch->access];
        const Touch first = *touch;
        const Touch* before = &*touch;
        std::uint32_t bytes = 0, own = 0; // of all warps, and of one
        for (; touch != touches.end() && touch->access == first.access &&
               touch->sector == first.sector;
             ++touch) {
            if (before->block != touch->block || before->warp != touch->warp)
                sum.of_warps += std::popcount(std::exchange(own, 0));
            own |= touch->bytes;
            bytes |= touch->bytes;
            before = &*touch;
        }
        sum.of_warps += std::popcount(own);
        sum.bytes += std::popcount(bytes);
    }
    for (std::size_t i = 0; i < all.size(); ++i)
        if (sums[i].bytes > 0)
            all[i].warps_of_byte = sums[i].of_warps / sums[i].bytes;
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
    std::vector<Touch> touches;
    std::map<std::string, std::uint64_t> barriers;
    std::vector<std::size_t> executed_by; // the last warp of each access
    std::size_t begun = 0;                // warps
    std::uint64_t requests = 0, executed = 0;
    constexpr std::size_t enough = std::size_t{1} << 11;
    constexpr unsigned few = 16; // sectors of one access and one warp
    for (const BlockTrace& block : trace.blocks) {
        found.warps += block.warps.size();
        for (const auto& [line, waits] : block.barriers)
            barriers[line] += waits;
        for (const auto& warp : block.warps) {
            ++begun;
            std::vector<unsigned> touched; // by this warp, by access
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
                if (step.step <= Step::atomic) {
                    executed_by.resize(all.size());
                    ++requests;
                    executed += executed_by[last] != begun;
                    executed_by[last] = begun;
                }
                touched.resize(all.size());
                for (std::uint32_t i = step.first; i < step.first + step.count &&
                                                   touches.size() < enough && touched[last]++ < few;
                     ++i)
                    touches.push_back({last, block.sectors[i].number, block.block,
                                       static_cast<std::size_t>(&warp - block.warps.data()),
                                       block.sectors[i].bytes});
            }
        }
        for (const auto& [site, wavefronts] : block.conflicts)
            for (Access& access : all)
                if (access.site == site &&
                    (access.step == Step::shared_load || access.step == Step::shared_store))
                    access.conflicts += wavefronts;
    }
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

void watch_accesses()
{
    cpu_device::set_trace_sink([](const LaunchTrace& trace) {
        const Accesses& accesses = all_accesses[cpu_device::launches().size()] = accesses_of(trace);
        cpu_device::Traffic traffic = common::simulate_caches(trace, *modelled_card());
        const double left = atomics_left(accesses);
        traffic.l2_atomic_sectors *= left;
        traffic.atomics_in_one_slice *= left;
        return traffic;
    });
    cpu_device::set_detail(cpu_device::Detail::traffic);
}

const Accesses* accesses_of(std::size_t launch)
{
    const auto found = all_accesses.find(launch);
    return found == all_accesses.end() ? nullptr : &found->second;
}

} // namespace own_program
