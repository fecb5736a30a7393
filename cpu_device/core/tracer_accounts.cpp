/// \file
/// What a request counts as.
#include "core/arena.hpp"
#include "core/tracer.hpp"

#include <algorithm>
#include <bit>

namespace cpu_device {

void Tracer::account(Site& site, const Request& request, unsigned round)
{
    if (site.region.space == AddressSpace::uncounted)
        return;
    if (site.region.space == AddressSpace::constant) {
        ++counts_.constant_requests;
        counts_.constant_wavefronts += count_constant_wavefronts(request);
        return;
    }
    if (site.region.space == AddressSpace::local) {
        account_local(site, request);
        return;
    }
    if (log_ != nullptr && trace_ == nullptr) [[unlikely]] // else trace_passed() has
        log_->add(site.key, number_of(site), site.region, site.access, request);
    const BlockRaces::Instruction instruction{site.key >> site_bits, site.access, site.region.space,
                                              site.is_volatile, site.in_range};
    if (races_ != nullptr) [[unlikely]]
        if (!races_->note(request, instruction, traced_warp_))
            keep_in_step(races_->lanes_race(), nullptr);
    if (compared_ != nullptr && instruction.space == AddressSpace::global)
        compared_->note_for_blocks(request, instruction, traced_warp_);
    if (site.region.space == AddressSpace::shared) {
        if (site.access != Access::load)
            note_shared_write(request);
        const unsigned conflicts = count_conflicts(request, site.access);
        if (site.access != Access::load && site.access != Access::store) {
            ++counts_.shared_atomic_requests;
            counts_.shared_atomic_conflicts += conflicts;
        } else if (site.access == Access::load) {
            ++counts_.shared_load_requests;
            counts_.shared_load_conflicts += conflicts;
        } else {
            ++counts_.shared_store_requests;
            counts_.shared_store_conflicts += conflicts;
        }
        if (trace_ != nullptr && conflicts > 0)
            trace_->conflicts[number_of(site)] += conflicts;
        return;
    }
    const auto touch = [&](std::uintptr_t first, std::uintptr_t last) {
        GlobalRegion* region = site.global;
        const std::uintptr_t address = first * Counts::sector_bytes;
        // The lanes of one request need not stay in one allocation. The first sector of registered
        // host memory may begin before it.
        if (!region->contains(address + Counts::sector_bytes - 1) && !region->contains(address))
            region = arena().find_region(address);
        if (region == nullptr)
            return;
        region->touch(first, last);
        if (site.access != Access::load)
            region->note_written();
        if (sample_ != nullptr)
            sample_->note({.block = block_,
                           .first = first,
                           .round = round,
                           .count = static_cast<std::uint8_t>(last - first + 1),
                           .kind = site.access});
        if (region->owner() == memory_.device) [[likely]]
            return;
        PeerSectors& to = region->owner() == GlobalRegion::no_device
                              ? host_sectors_
                              : peer_traffic_[static_cast<std::size_t>(region->owner())];
        (site.access == Access::load    ? to.load
         : site.access == Access::store ? to.store
                                        : to.atomic) += last - first + 1;
    };
    const unsigned sectors = count_sectors(request, touch);
    const std::uint64_t bytes =
        static_cast<std::uint64_t>(std::popcount(request.mask)) * request.bytes;
    switch (site.access) {
    case Access::load:
        ++counts_.load_requests;
        counts_.load_sectors += sectors;
        counts_.load_bytes += bytes;
        break;
    case Access::store:
        ++counts_.store_requests;
        counts_.store_sectors += sectors;
        counts_.store_bytes += bytes;
        break;
    case Access::atomic:
        ++counts_.atomic_requests;
        counts_.atomic_sectors += count_atomic_sectors(request);
        break;
    }
}

void Tracer::account_local(const Site& site, const Request& request)
{
    const auto first = static_cast<unsigned>(std::countr_zero(request.mask));
    LocalArrayTraffic& array = declared_[request.addresses[first] >> array_offset_bits];
    array.in_memory = array.in_memory || lanes_differ(request);
    if (site.access != Access::store) {
        ++array.counts.local_load_requests;
        array.counts.local_load_sectors += count_local_sectors(request);
    }
    if (site.access != Access::load) {
        ++array.counts.local_store_requests;
        array.counts.local_store_sectors += count_local_sectors(request);
    }
}

void Tracer::note_shared_write(const Request& request)
{
    std::uintptr_t begin = UINTPTR_MAX;
    std::uintptr_t end = 0;
    for (unsigned lane = 0; lane < warp_lanes; ++lane) {
        if (request.mask >> lane & 1) {
            begin = std::min(begin, request.addresses[lane]);
            end = std::max(end, request.addresses[lane] + request.bytes);
        }
    }
    if (!memory_.static_shared.contains(begin))
        return;
    for (Region& written : shared_writes_) {
        if (begin <= written.begin + written.bytes && written.begin <= end) {
            const std::uintptr_t last = std::max(end, written.begin + written.bytes);
            written.begin = std::min(begin, written.begin);
            written.bytes = last - written.begin;
            return;
        }
    }
    shared_writes_.push_back({begin, end - begin, AddressSpace::shared});
}

} // namespace cpu_device
