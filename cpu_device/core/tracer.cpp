#include "core/tracer.hpp"

#include "core/executor.hpp"
#include "core/host.hpp"
#include "core/program_image.hpp"
#include "cpu_device/device_limits.hpp"
#include "cpu_device/poison.hpp"

#include <algorithm>
#include <iterator>

namespace cpu_device {

namespace {

constexpr std::size_t first_slots = 1024;
/// A site that only some lanes ever reach never has requests that all lanes have passed. Beyond
/// this many, only the lanes that did reach it are waited for.
constexpr unsigned max_open_requests = 16 * 1024;

/// True of whole words that nobody has written; a byte or two may be poison by chance.
bool is_poison(std::uintptr_t address, unsigned bytes)
{
    const auto* const words = reinterpret_cast<const std::uint32_t*>(address);
    return bytes >= sizeof poison && std::all_of(words, words + bytes / sizeof poison,
                                                 [](std::uint32_t word) { return word == poison; });
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

__thread Tracer* current_tracer = nullptr;

void add_local_arrays(std::vector<LocalArrayTraffic>& all,
                      const std::vector<LocalArrayTraffic>& some)
{
    for (const LocalArrayTraffic& array : some) {
        const auto known =
            std::ranges::find(all, array.declaration, &LocalArrayTraffic::declaration);
        if (known == all.end()) {
            all.push_back(array);
            continue;
        }
        known->in_memory = known->in_memory || array.in_memory;
        known->counts += array.counts;
    }
}

Counts count_local_arrays(const std::vector<LocalArrayTraffic>& arrays)
{
    Counts counts;
    for (const LocalArrayTraffic& array : arrays)
        if (array.in_memory)
            counts += array.counts;
    return counts;
}

std::uint32_t busiest_local_array(const std::vector<LocalArrayTraffic>& arrays)
{
    std::uint64_t most = 0;
    std::uint32_t busiest = 0;
    for (const auto& [declaration, in_memory, counts] : arrays)
        if (const std::uint64_t requests = counts.local_load_requests + counts.local_store_requests;
            in_memory && requests > most) {
            most = requests;
            busiest = static_cast<std::uint32_t>(declaration);
        }
    return busiest;
}

Tracer::Tracer()
{
    slots_.resize(first_slots);
    fast_ = slots_.data();
    arrays_.resize(static_cast<std::size_t>(device_limits.max_threads_per_block));
    since_.resize(arrays_.size());
    hash_shift_ = 64 - static_cast<unsigned>(std::countr_zero(first_slots));
}

void Tracer::begin_launch(const BlockMemory& memory)
{
    memory_ = memory;
    counts_ = {};
    host_sectors_ = {};
    peer_traffic_ = {};
    // Allocations may have come and gone since the last launch: every site looks again.
    std::fill(slots_.begin(), slots_.end(), Slot());
    keep_in_step(false, nullptr);
    sites_used_ = 0;
    active_.clear();
    opened_.clear();
    declared_.clear();
    for (auto& arrays : arrays_)
        arrays.clear();
    shared_writes_.clear();
    shared_in_use_.clear();
}

void Tracer::note_local_array(std::uintptr_t declaration, std::uintptr_t begin, std::size_t bytes,
                              bool surely)
{
    const Untraced untraced;
    auto& arrays = arrays_[thread_];
    for (const ArrayOfThread& array : arrays)
        if (array.region.begin == begin && array.region.bytes == bytes &&
            declared_[array.number].declaration == declaration)
            return; // in a loop
    auto known = std::ranges::find(declared_, declaration, &LocalArrayTraffic::declaration);
    if (known == declared_.end()) {
        // What was taken for any place on the stack may be in this array.
        for (std::size_t i = 0; i < sites_used_; ++i)
            if (memory_.stacks.contains(sites_[i].region.begin))
                sites_[i].region.begin = UINTPTR_MAX;
        known = declared_.insert(declared_.end(), {declaration, surely, {}});
    }
    std::erase_if(arrays, [&](const ArrayOfThread& array) { // their scope has ended
        return array.region.contains(begin) ||
               begin + bytes - 1 - array.region.begin < array.region.bytes;
    });
    arrays.push_back(
        {{begin, bytes, AddressSpace::local}, static_cast<std::size_t>(known - declared_.begin())});
}

void Tracer::note_step(std::uintptr_t pc, Step step, std::size_t pending)
{
    if (trace_ == nullptr)
        return;
    const Untraced untraced;
    // Noted like an access, so that it has its place among those of the other lanes: a load of so
    // many bytes as the step has for a number, which takes more than seven groups for seven.
    const auto number =
        static_cast<unsigned>(step) + static_cast<unsigned>(std::min<std::size_t>(pending, 7));
    Site& site = search_site(pc << site_bits | number << 2, number, Access::load);
    site.region.space = AddressSpace::uncounted;
    unsigned& visits = site.visits[lane_];
    if (visits == max_open_requests)
        return; // a loop without accesses, of which nothing is known in between
    const unsigned visit = visits++;
    if (visit == site.open)
        open_request(site);
    site.requests[visit][lane_] = 0;
}

void Tracer::keep_in_step(bool in_step, BlockRaces* races)
{
    const bool slowly = in_step || races != nullptr;
    if (slowly && no_slots_.size() != slots_.size())
        no_slots_.assign(slots_.size(), Slot());
    if (in_step && !in_step_)
        std::ranges::fill(since_, 0);
    fast_ = slowly ? no_slots_.data() : slots_.data();
    in_step_ = in_step;
    races_ = races;
    volatile_ = false;
}

void Tracer::wait_in_step(std::uintptr_t pc, std::uintptr_t address, Access access)
{
    if (memory_.stacks.contains(address) || memory_.exchange.contains(address))
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
        Site* site = &search_site(key_of(pc, bytes, access), bytes, access);
        site->is_volatile = std::exchange(volatile_, false) || site->is_volatile;
        site->in_range = in_range_ || site->in_range;
        if (!site->region.contains(address, bytes) || address % bytes != 0)
            site = &locate(*site, address);
        if (site->region.space == AddressSpace::uncounted)
            return;
        if (races_ != nullptr && access != Access::store && !in_range_ &&
            (site->region.space == AddressSpace::global ||
             site->region.space == AddressSpace::shared) &&
            is_poison(address, bytes))
            races_->note_unwritten(pc, address, thread_);
        const unsigned visit = site->visits[lane_]++;
        if (visit == site->open)
            open_request(*site);
        site->requests[visit][lane_] = address + site->shift;
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

Tracer::Site& Tracer::search_site(std::uintptr_t key, unsigned bytes, Access access)
{
    for (std::size_t i = hash(key);; i = (i + 1) % slots_.size()) {
        if (slots_[i].key == key)
            return *slots_[i].site;
        if (slots_[i].site == nullptr) {
            Site& site = make_site(key, bytes, access);
            slots_[i] = {key, &site};
            if (2 * sites_used_ > slots_.size())
                grow();
            return site;
        }
    }
}

void Tracer::grow()
{
    const std::vector<Slot> old = std::move(slots_);
    slots_.assign(2 * old.size(), Slot());
    keep_in_step(in_step_, races_);
    --hash_shift_;
    for (const Slot& slot : old) {
        if (slot.site == nullptr)
            continue;
        std::size_t i = hash(slot.key);
        while (slots_[i].site != nullptr)
            i = (i + 1) % slots_.size();
        slots_[i] = slot;
    }
}

Tracer::Site& Tracer::make_site(std::uintptr_t key, unsigned bytes, Access access)
{
    if (sites_used_ == sites_.size())
        sites_.emplace_back();
    Site& site = sites_[sites_used_++];
    Site fresh{.key = key, .access = access, .bytes = bytes};
    fresh.requests.swap(site.requests); // whose memory it keeps
    fresh.rounds.swap(site.rounds);
    site = std::move(fresh);
    return site;
}

void Tracer::open_request(Site& site)
{
    if (site.open == 0)
        active_.push_back(&site);
    if (trace_ != nullptr) {
        auto place = opened_.end();
        if (log_ != nullptr) // behind what this lane has done before, whatever others did since
            while (place != opened_.begin() &&
                   std::prev(place)->first->visits[lane_] <= std::prev(place)->second)
                --place;
        opened_.emplace(place, &site, site.open);
    }
    if (++site.open > site.requests.size()) {
        site.requests.resize(std::max<std::size_t>(1, 2 * site.requests.size()));
        site.rounds.resize(site.requests.size());
    }
    if (site.region.space != AddressSpace::global)
        return;
    ++begun_.all;
    begun_.round += site.turn == turn_ && site.round == begun_.round;
    site.turn = turn_;
    site.round = site.rounds[site.open - 1] = begun_.round;
}

bool Tracer::fold_all(unsigned threads)
{
    bool divergent = false;
    for (Site* site : active_)
        site->passed = site->open;
    trace_passed();
    for (Site* site : active_) {
        divergent |= fold(*site, threads);
        site->open = 0;
        site->visits.fill(0);
    }
    active_.clear();
    return divergent;
}

bool Tracer::fold_passed(unsigned threads, unsigned live)
{
    bool divergent = false;
    for (Site* site : active_) {
        site->passed = site->open;
        for (unsigned lane = 0; lane < warp_lanes; ++lane) {
            const bool reached = site->visits[lane] != 0 || site->open <= max_open_requests;
            if ((live >> lane & 1) && reached)
                site->passed = std::min(site->passed, site->visits[lane]);
        }
    }
    trace_passed();
    for (Site* site : active_) {
        const unsigned passed = site->passed;
        if (passed == 0)
            continue;
        divergent |= fold(*site, threads);
        std::copy(site->requests.begin() + passed, site->requests.begin() + site->open,
                  site->requests.begin());
        std::copy(site->rounds.begin() + passed, site->rounds.begin() + site->open,
                  site->rounds.begin());
        site->open -= passed;
        for (unsigned& visits : site->visits)
            visits -= std::min(visits, passed);
    }
    std::erase_if(active_, [](const Site* site) { return site->open == 0; });
    return divergent;
}

unsigned Tracer::lanes_of(const Site& site, unsigned visit)
{
    unsigned mask = 0;
    for (unsigned lane = 0; lane < warp_lanes; ++lane)
        mask |= static_cast<unsigned>(site.visits[lane] > visit) << lane;
    return mask;
}

std::uint32_t Tracer::number_of(const Site& site)
{
    return static_cast<std::uint32_t>(site.key >> site_bits);
}

void Tracer::trace_passed()
{
    if (trace_ == nullptr)
        return;
    const std::size_t warps = trace_->warps.size();
    std::vector<TracedStep>& steps = trace_->warps[traced_warp_];
    std::erase_if(opened_, [&](std::pair<Site*, unsigned>& opened) {
        auto& [site, visit] = opened;
        if (visit >= site->passed) {
            visit -= site->passed;
            return false;
        }
        if (trace_->sectors.size() >= traced_sectors_ / warps * (traced_warp_ + 1) ||
            steps.size() >= traced_sectors_ / warps)
            return true;
        const AddressSpace space = site->region.space;
        if (space == AddressSpace::global || space == AddressSpace::shared) {
            const Request request{site->requests[visit], lanes_of(*site, visit), site->bytes};
            add_request(*trace_, traced_warp_, number_of(*site), space, site->access, request);
            if (log_ != nullptr)
                log_->add(site->key, number_of(*site), site->region, site->access, request);
        } else if (space == AddressSpace::uncounted)
            add_step(*trace_, traced_warp_, site->bytes);
        return true;
    });
}

bool Tracer::fold(Site& site, unsigned threads)
{
    // Collected without a branch, so that the loop vectorises.
    unsigned difference = 0;
    for (const unsigned visits : site.visits)
        difference |= visits ^ site.visits[0];
    if (threads == all_lanes && difference == 0) {
        for (unsigned visit = 0; visit < site.passed; ++visit)
            account(site, {site.requests[visit], all_lanes, site.bytes}, site.rounds[visit]);
        return false;
    }

    bool divergent = false;
    for (unsigned visit = 0; visit < site.passed; ++visit) {
        const unsigned mask = lanes_of(site, visit);
        divergent |= mask != threads;
        account(site, {site.requests[visit], mask, site.bytes}, site.rounds[visit]);
    }
    return divergent &&
           (site.region.space == AddressSpace::global || site.region.space == AddressSpace::shared);
}

void fill_with_poison(const Region& region)
{
    auto* bytes = reinterpret_cast<std::byte*>(region.begin);
    for (std::size_t i = 0; i < region.bytes; ++i)
        bytes[i] = static_cast<std::byte>(poison >> (region.begin + i) % 4 * 8);
}

void Tracer::poison_static_shared(bool all)
{
    for (const Region& written : shared_writes_)
        fill_with_poison(written);
    if (!all)
        return;
    for (const ThreadVariable& variable : immortal<ProgramImage>().each_thread_variable())
        if (!variable.engine && variable.declared_in(memory_.kernel))
            fill_with_poison({memory_.static_shared.begin + variable.offset, variable.bytes,
                              AddressSpace::shared});
}

std::string line_of_site(std::uint32_t site)
{
    // The lower half of an address in the program, which is smaller than what that tells apart.
    const std::uintptr_t begin = host::program_begin();
    return host::source_line({begin + static_cast<std::uint32_t>(site - begin)});
}

} // namespace cpu_device
