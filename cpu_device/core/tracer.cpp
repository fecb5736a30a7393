#include "core/tracer.hpp"

#include "core/arena.hpp"
#include "core/executor.hpp"
#include "core/faults.hpp"
#include "core/host.hpp"
#include "cpu_device/device_limits.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace cpu_device {

namespace {

/// True of whole words that nobody has written; a byte or two may be poison by chance.
bool is_poison(std::uintptr_t address, unsigned bytes)
{
    const auto* const words = reinterpret_cast<const std::uint32_t*>(address);
    return bytes >= sizeof poison && std::all_of(words, words + bytes / sizeof poison,
                                                 [](std::uint32_t word) { return word == poison; });
}

/// The counters of one kind of access.
struct Counters
{
    Counter::Member requests;
    Counter::Member amount;          ///< of sectors, or of conflicts
    Counter::Member bytes = nullptr; ///< null where they are not counted
};

/// By Access.
constexpr std::array shared_counters = {
    Counters{&Counts::shared_load_requests, &Counts::shared_load_conflicts},
    Counters{&Counts::shared_store_requests, &Counts::shared_store_conflicts},
    Counters{&Counts::shared_atomic_requests, &Counts::shared_atomic_conflicts},
};
constexpr std::array global_counters = {
    Counters{&Counts::load_requests, &Counts::load_sectors, &Counts::load_bytes},
    Counters{&Counts::store_requests, &Counts::store_sectors, &Counts::store_bytes},
    Counters{&Counts::atomic_requests, &Counts::atomic_sectors},
};

} // namespace

__thread Tracer* current_tracer = nullptr;

void RequestCounter::begin_launch(int device, TouchSample* sample)
{
    *this = {};
    device_ = device;
    sample_ = sample;
}

void RequestCounter::count_constant(const Request& request)
{
    ++counts_.constant_requests;
    counts_.constant_wavefronts += count_constant_wavefronts(request);
}

unsigned RequestCounter::count_shared(const Request& request, Access access)
{
    const Counters& own = shared_counters.at(static_cast<std::size_t>(access));
    const unsigned conflicts = count_conflicts(request, access);
    ++(counts_.*own.requests);
    counts_.*own.amount += conflicts;
    return conflicts;
}

void RequestCounter::count_global(const Request& request, const Site& site, std::uint64_t block,
                                  unsigned round)
{
    const unsigned sectors = count_sectors(request, [&](std::uintptr_t first, std::uintptr_t last) {
        GlobalRegion* region = site.place.global;
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
            sample_->note({.block = block,
                           .first = first,
                           .round = round,
                           .count = static_cast<std::uint8_t>(last - first + 1),
                           .kind = site.access});
        if (region->owner() == device_) [[likely]]
            return;
        PeerSectors& to = region->owner() == GlobalRegion::no_device
                              ? host_sectors_
                              : peer_traffic_[static_cast<std::size_t>(region->owner())];
        (site.access == Access::load    ? to.load
         : site.access == Access::store ? to.store
                                        : to.atomic) += last - first + 1;
    });
    const Counters& own = global_counters.at(static_cast<std::size_t>(site.access));
    ++(counts_.*own.requests);
    counts_.*own.amount += site.access == Access::atomic ? count_atomic_sectors(request) : sectors;
    if (own.bytes != nullptr)
        counts_.*own.bytes +=
            static_cast<std::uint64_t>(std::popcount(request.mask)) * request.bytes;
}

Tracer::Tracer() : since_(DeviceLimits::max_threads_per_block) {}

void Tracer::begin_launch(const BlockMemory& memory, TouchSample* sample)
{
    memory_.begin_launch(memory);
    counter_.begin_launch(memory.device, sample);
    sites_.clear(); // allocations may have come and gone since the last launch
    keep_in_step(false, nullptr);
    active_.clear();
    trace_.begin_launch();
}

void Tracer::keep_in_step(bool in_step, BlockRaces* races)
{
    hidden_ = in_step || races != nullptr ? in_no_key : 0;
    if (in_step && !in_step_)
        std::ranges::fill(since_, 0);
    in_step_ = in_step;
    races_ = races;
    volatile_ = false;
}

void Tracer::begin_warp(std::uint64_t block, const RequestsBegun& begun, const TracedWarp& warp)
{
    block_ = block;
    begun_ = begun;
    begun_.round += begun.all > 0; // behind a barrier
    trace_.begin_warp(warp);
    ++turn_;
}

void Tracer::note_local_array(std::uintptr_t declaration, std::uintptr_t begin, std::size_t bytes,
                              bool surely)
{
    const Untraced untraced;
    if (memory_.arrays().note(thread_, declaration, {begin, bytes, AddressSpace::local}, surely))
        // What was taken for any place on the stack may be in this array.
        sites_.forget_places_in(memory_.block().stacks);
}

void Tracer::note_step(std::uintptr_t pc, Step step, std::size_t pending)
{
    if (!trace_.is_on())
        return;
    const Untraced untraced;
    // Noted like an access, so that it has its place among those of the other lanes: a load of so
    // many bytes as the step has for a number, which takes more than seven groups for seven.
    const auto number =
        static_cast<unsigned>(step) + static_cast<unsigned>(std::min<std::size_t>(pending, 7));
    Site& site = sites_.search(pc << Site::key_bits | number << 2, number, Access::load);
    site.place.region.space = AddressSpace::uncounted;
    unsigned& visits = site.visits[lane_];
    if (visits == Site::max_open_requests)
        return; // a loop without accesses, of which nothing is known in between
    const unsigned visit = visits++;
    if (visit == site.open)
        open_request(site);
    site.requests[visit][lane_] = 0;
}

void Tracer::wait_in_step(std::uintptr_t pc, std::uintptr_t address, Access access)
{
    if (memory_.block().stacks.contains(address) || memory_.block().exchange.contains(address))
        return;
    const unsigned char kind = access == Access::load ? 1 : 2;
    const bool is_volatile = std::exchange(volatile_, false); // of this lane
    if ((since_[thread_] & ~kind) != 0) {
        since_[thread_] = 0;
        current_worker->scheduler().wait_for_lanes(pc, address);
    }
    since_[thread_] = static_cast<unsigned char>(since_[thread_] | kind);
    volatile_ = is_volatile;
}

void Tracer::record_slowly(std::uintptr_t pc, std::uintptr_t address, unsigned bytes, Access access)
{
    if (in_step_)
        wait_in_step(pc, address, access);
    {
        const Untraced untraced;
        Site* site = &sites_.search(Site::key_of(pc, bytes, access), bytes, access);
        site->is_volatile = std::exchange(volatile_, false) || site->is_volatile;
        site->in_range = in_range_ || site->in_range;
        if (!site->place.region.contains(address, bytes) || address % bytes != 0)
            site = &locate(*site, address);
        if (site->space() == AddressSpace::uncounted)
            return;
        if (races_ != nullptr && access != Access::store && !in_range_ && is_data(site->space()) &&
            is_poison(address, bytes))
            races_->note_unwritten(pc, address, thread_);
        const unsigned visit = site->visits[lane_]++;
        if (visit == site->open)
            open_request(*site);
        site->requests[visit][lane_] = address + site->place.shift;
    }
    if (--left_ == 0)
        yield_lane(pc, address);
}

void Tracer::record_range(std::uintptr_t pc, std::uintptr_t address, std::size_t bytes,
                          Access access)
{
    const std::uintptr_t all = address | bytes;
    const unsigned unit = all % 4 == 0 ? 4 : all % 2 == 0 ? 2 : 1;
    in_range_ = true;
    for (std::size_t i = 0; i < bytes; i += unit)
        record(pc, address + i, unit, access);
    in_range_ = false;
}

Site& Tracer::locate(Site& site, std::uintptr_t address)
{
    const Place place = memory_.find(address, site, thread_);
    Site& own = sites_.in_space(site, place.region.space);
    own.place = place;
    own.reach = place.region.bytes - site.bytes;
    return own;
}

void Tracer::open_request(Site& site)
{
    if (site.open == 0)
        active_.push_back(&site);
    trace_.note_opened(site, lane_);
    site.open_request();
    if (site.space() != AddressSpace::global)
        return;
    ++begun_.all;
    begun_.round += site.turn == turn_ && site.round == begun_.round;
    site.turn = turn_;
    site.round = site.rounds[site.open - 1] = begun_.round;
}

bool Tracer::fold(unsigned threads, unsigned live)
{
    bool divergent = false;
    for (Site* site : active_)
        site->find_passed(live);
    trace_.write_passed();
    for (Site* site : active_)
        if (site->passed != 0) {
            divergent |= fold(*site, threads);
            site->forget_passed();
        }
    if (live == 0)
        active_.clear();
    else
        std::erase_if(active_, [](const Site* site) { return site->open == 0; });
    return divergent;
}

bool Tracer::fold(const Site& site, unsigned threads)
{
    // Collected without a branch, so that the loop vectorises.
    unsigned difference = 0;
    for (const unsigned visits : site.visits)
        difference |= visits ^ site.visits[0];
    const bool complete = threads == all_lanes && difference == 0;
    bool divergent = false;
    for (unsigned visit = 0; visit < site.passed; ++visit) {
        const unsigned mask = complete ? all_lanes : site.lanes_of(visit);
        divergent |= mask != threads;
        count(site, {site.requests[visit], mask, site.bytes}, site.rounds[visit]);
    }
    return divergent && is_data(site.space());
}

void Tracer::count(const Site& site, const Request& request, unsigned round)
{
    const AddressSpace space = site.space();
    if (space == AddressSpace::constant)
        return counter_.count_constant(request);
    if (space == AddressSpace::local)
        return memory_.arrays().count(request, site.access);
    if (space == AddressSpace::uncounted)
        return;
    const BlockRaces::Instruction instruction{site.pc(), site.access, space, site.is_volatile,
                                              site.in_range};
    if (races_ != nullptr) [[unlikely]]
        if (!races_->note(request, instruction, trace_.warp()))
            keep_in_step(races_->lanes_race(), nullptr);
    unsigned conflicts = 0;
    if (space == AddressSpace::global) {
        if (compared_ != nullptr)
            compared_->note_for_blocks(request, instruction, trace_.warp());
        counter_.count_global(request, site, block_, round);
    } else {
        if (site.access != Access::load)
            memory_.note_shared_write(request);
        conflicts = counter_.count_shared(request, site.access);
    }
    trace_.note_counted(site, request, conflicts);
}

std::string line_of_site(std::uint32_t site)
{
    // The lower half of an address in the program, which is smaller than what that tells apart.
    const std::uintptr_t begin = host::program_begin();
    return host::source_line({begin + static_cast<std::uint32_t>(site - begin)});
}

} // namespace cpu_device
