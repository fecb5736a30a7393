#include "core/request_log.hpp"

#include "core/immortal.hpp"
#include "cpu_device/detail/engine.hpp"

#include <algorithm>
#include <utility>

namespace cpu_device {

namespace {

using Sink = std::function<void(const LaunchRequests&)>;

} // namespace

std::function<void(const LaunchRequests&)>
set_request_sink(std::function<void(const LaunchRequests&)> next)
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

void RequestLog::add(std::uintptr_t site, std::uint32_t instruction, const Region& region,
                     Access access, const Request& request)
{
    std::uintptr_t lowest = UINTPTR_MAX;
    for (unsigned lane = 0; lane < warp_lanes; ++lane)
        if (request.mask >> lane & 1)
            lowest = std::min(lowest, request.addresses[lane]);

    WarpRequest& noted = launch_.requests.emplace_back();
    const auto known = std::find(sites_.begin(), sites_.end(), site);
    noted.site = static_cast<std::size_t>(known - sites_.begin());
    if (known == sites_.end())
        sites_.push_back(site);
    noted.instruction = instruction;
    noted.access = access;
    noted.shared = region.space == AddressSpace::shared;
    noted.bytes = request.bytes;
    const std::uintptr_t base = noted.shared ? lowest : region.begin;
    noted.begin = base;
    for (unsigned lane = 0; lane < warp_lanes; ++lane)
        if (request.mask >> lane & 1)
            noted.offsets[lane] = request.addresses[lane] - base;
    if (noted.shared) {
        noted.wavefronts = wavefronts_of(request, access);
        for (auto& words : noted.wavefronts) // from where the linker put it to the offsets
            std::rotate(words.begin(), words.begin() + lowest / 4 % words.size(), words.end());
        noted.conflicts = count_conflicts(request, access);
        return;
    }
    Allocation allocation;
    static_cast<void>(find_allocation(reinterpret_cast<const void*>(lowest), allocation));
    noted.allocation = allocation.serial;
    count_sectors(request, [&](std::uintptr_t first, std::uintptr_t last) {
        for (; first <= last; ++first)
            noted.sectors.push_back(first - base / Counts::sector_bytes);
    });
}

void RequestLog::hand_out() const
{
    immortal<Sink>()(launch_);
}

} // namespace cpu_device
