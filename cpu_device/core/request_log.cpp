#include "core/request_log.hpp"

#include "core/immortal.hpp"
#include "cpu_device/detail/engine.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <iterator>
#include <utility>

namespace cpu_device {

namespace {

using Sink = std::function<void(const LaunchRequests&)>;

/// Different distances between neighbouring lanes from which on addresses follow no pattern: tiles
/// of 8 x 4 lanes have two, a row that wraps one more.
constexpr std::size_t most_distances = 4;

bool irregular(const Request& request)
{
    if (side_by_side(request))
        return false;
    std::array<std::uintptr_t, most_distances> distances{};
    std::size_t known = 0;
    const std::uintptr_t* before = nullptr;
    for (unsigned lane = 0; lane < warp_lanes; ++lane) {
        if ((request.mask >> lane & 1) == 0)
            continue;
        if (before != nullptr) {
            const std::uintptr_t distance = request.addresses[lane] - *before;
            const auto end = distances.begin() + static_cast<std::ptrdiff_t>(known);
            if (std::find(distances.begin(), end, distance) == end) {
                if (known == most_distances)
                    return true;
                distances[known++] = distance;
            }
        }
        before = &request.addresses[lane];
    }
    return false;
}

/// Adds the sectors that the request touches, in ascending order; returns how many lanes take part.
std::size_t add_sectors(const Request& request, std::vector<TracedSector>& sectors)
{
    constexpr std::size_t sector = Counts::sector_bytes;
    if (side_by_side(request)) { // nearly all
        const std::uintptr_t begin = request.addresses[0];
        const std::uintptr_t end = begin + warp_lanes * request.bytes;
        for (std::uintptr_t first = begin; first < end; first = (first / sector + 1) * sector) {
            const std::size_t bytes = std::min(end - first, sector - first % sector);
            const auto touched = static_cast<std::uint32_t>((std::uint64_t{1} << bytes) - 1);
            sectors.push_back({first / sector, touched << first % sector, 1});
        }
        return warp_lanes;
    }
    LaneAddresses sorted;
    const auto end = sorted_lanes(request, sorted, std::identity());
    const auto lanes = static_cast<std::size_t>(end - sorted.begin());
    std::uint32_t same = 0;
    for (std::size_t i = 0; i < lanes; ++i) {
        const std::uintptr_t number = sorted[i] / sector;
        const auto of_lane = static_cast<std::uint32_t>((std::uint64_t{1} << request.bytes) - 1);
        same = i > 0 && sorted[i] == sorted[i - 1] ? same + 1 : 1;
        if (i == 0 || sectors.back().number != number)
            sectors.push_back({number, 0, 0});
        sectors.back().bytes |= of_lane << sorted[i] % sector;
        sectors.back().same = std::max(sectors.back().same, same);
    }
    return lanes;
}

Step step_of(AddressSpace space, Access access)
{
    if (space == AddressSpace::shared)
        return access == Access::load ? Step::shared_load : Step::shared_store;
    return access == Access::load    ? Step::load
           : access == Access::store ? Step::store
                                     : Step::atomic;
}

/// Notes a request of the warp to global or shared memory.
void add_request(BlockTrace& trace, std::size_t warp, std::uint32_t site, AddressSpace space,
                 Access access, const Request& request)
{
    std::vector<TracedSector>& sectors = trace.sectors;
    TracedStep step{.step = step_of(space, access),
                    .irregular = irregular(request),
                    .lanes = static_cast<std::uint8_t>(std::popcount(request.mask)),
                    .lane_bytes = static_cast<std::uint8_t>(request.bytes),
                    .site = site,
                    .first = static_cast<std::uint32_t>(sectors.size())};
    if (space == AddressSpace::global) {
        const std::size_t lanes = add_sectors(request, sectors);
        // As many as the busiest bank needs, and at least one for each line of 128 bytes.
        const std::size_t fewest = (lanes * request.bytes + line_bytes - 1) / line_bytes;
        std::size_t lines = 0;
        for (std::size_t i = step.first; i < sectors.size(); ++i)
            lines += i == step.first ||
                     sectors[i].number / line_sectors != sectors[i - 1].number / line_sectors;
        step.wavefronts =
            static_cast<std::uint8_t>(std::max(fewest + count_conflicts(request, access), lines));
        step.count = static_cast<std::uint32_t>(sectors.size()) - step.first;
    } else {
        step.wavefronts = static_cast<std::uint8_t>(count_parts(request, access));
    }
    trace.warps[warp].push_back(step);
}

/// The step that Tracer::note_step() has noted as that number.
void add_step(BlockTrace& trace, std::size_t warp, unsigned number)
{
    const auto arrived = static_cast<unsigned>(Step::arrived);
    trace.add(warp, static_cast<Step>(std::min(number, arrived)));
    if (number > arrived)
        trace.warps[warp].back().lanes = static_cast<std::uint8_t>(number - arrived);
}

} // namespace

Sink set_request_sink(Sink next)
{
    return std::exchange(immortal<Sink>(), std::move(next));
}

bool RequestLog::wanted()
{
    return static_cast<bool>(immortal<Sink>());
}

RequestLog::RequestLog(const LaunchConfiguration& configuration)
    : launch_{.kernel = configuration.kernel,
              .grid = {configuration.grid.x, configuration.grid.y, configuration.grid.z},
              .block = {configuration.block.x, configuration.block.y, configuration.block.z},
              .requests = {}}
{}

void RequestLog::add(const Site& site, const Request& request)
{
    LaneAddresses sorted;
    sorted_lanes(request, sorted, std::identity());
    const std::uintptr_t lowest = sorted[0];
    WarpRequest& noted = launch_.requests.emplace_back();
    const auto known = std::find(sites_.begin(), sites_.end(), site.key);
    noted.site = static_cast<std::size_t>(known - sites_.begin());
    if (known == sites_.end())
        sites_.push_back(site.key);
    noted.instruction = site.number();
    noted.access = site.access;
    noted.shared = site.space() == AddressSpace::shared;
    noted.bytes = request.bytes;
    const std::uintptr_t base = noted.shared ? lowest : site.place.region.begin;
    noted.begin = base;
    for (unsigned lane = 0; lane < warp_lanes; ++lane)
        if (request.mask >> lane & 1)
            noted.offsets[lane] = request.addresses[lane] - base;
    if (noted.shared) {
        noted.wavefronts = wavefronts_of(request, site.access);
        for (auto& words : noted.wavefronts) // from where the linker put it to the offsets
            std::rotate(words.begin(), words.begin() + lowest / 4 % words.size(), words.end());
        noted.conflicts = count_conflicts(request, site.access);
        return;
    }
    if (const auto found = nearest_allocation(reinterpret_cast<const void*>(lowest)))
        noted.allocation = found->serial;
    count_sectors(request, [&](std::uintptr_t first, std::uintptr_t last) {
        for (; first <= last; ++first)
            noted.sectors.push_back(first - base / Counts::sector_bytes);
    });
}

void RequestLog::hand_out() const
{
    immortal<Sink>()(launch_);
}

void WarpTrace::note_opened(Site& site, unsigned lane)
{
    if (!is_on())
        return;
    auto place = opened_.end();
    if (warp_.log != nullptr) // behind what this lane has done before, whatever others did since
        while (place != opened_.begin() &&
               std::prev(place)->first->visits[lane] <= std::prev(place)->second)
            --place;
    opened_.emplace(place, &site, site.open);
}

void WarpTrace::write_passed()
{
    if (!is_on())
        return;
    BlockTrace& trace = *warp_.trace;
    const std::size_t share = warp_.sectors / trace.warps.size();
    std::erase_if(opened_, [&](std::pair<Site*, unsigned>& opened) {
        auto& [site, visit] = opened;
        if (visit >= site->passed) {
            visit -= site->passed;
            return false;
        }
        if (trace.sectors.size() >= share * (warp_.number + 1) ||
            trace.warps[warp_.number].size() >= share)
            return true;
        const AddressSpace space = site->space();
        if (is_data(space)) {
            const Request request{site->requests[visit], site->lanes_of(visit), site->bytes};
            add_request(trace, warp_.number, site->number(), space, site->access, request);
            if (warp_.log != nullptr)
                warp_.log->add(*site, request);
        } else if (space == AddressSpace::uncounted)
            add_step(trace, warp_.number, site->bytes);
        return true;
    });
}

} // namespace cpu_device
