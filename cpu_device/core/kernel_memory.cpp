#include "core/kernel_memory.hpp"

#include "core/arena.hpp"
#include "core/devices.hpp"
#include "core/executor.hpp"
#include "core/faults.hpp"
#include "core/host.hpp"
#include "core/program_image.hpp"
#include "cpu_device/device_limits.hpp"

#include <algorithm>
#include <utility>

namespace cpu_device {

namespace {

/// How far past the end of the thread-local variables an address is still meant to be one of them.
constexpr std::size_t overrun_reach = 64 * 1024;

const std::vector<ThreadVariable>& each_variable()
{
    return immortal<ProgramImage>().each_thread_variable();
}

void fill_with_poison(const Region& region)
{
    auto* bytes = reinterpret_cast<std::byte*>(region.begin);
    for (std::size_t i = 0; i < region.bytes; ++i)
        bytes[i] = static_cast<std::byte>(poison >> (region.begin + i) % 4 * 8);
}

} // namespace

unsigned Site::lanes_of(unsigned visit) const
{
    unsigned mask = 0;
    for (unsigned lane = 0; lane < warp_lanes; ++lane)
        mask |= static_cast<unsigned>(visits[lane] > visit) << lane;
    return mask;
}

void Site::open_request()
{
    if (++open <= requests.size())
        return;
    requests.resize(std::max<std::size_t>(1, 2 * requests.size()));
    rounds.resize(requests.size());
}

void Site::find_passed(unsigned live)
{
    passed = open;
    for (; live != 0; live &= live - 1) {
        const unsigned own = visits[static_cast<unsigned>(std::countr_zero(live))];
        if (own != 0 || open <= max_open_requests)
            passed = std::min(passed, own);
    }
}

void Site::forget_passed()
{
    open -= passed;
    if (open == 0) { // as a rule
        visits.fill(0);
        return;
    }
    std::copy_n(requests.begin() + passed, open, requests.begin());
    std::copy_n(rounds.begin() + passed, open, rounds.begin());
    for (unsigned& visit : visits)
        visit -= std::min(visit, passed);
}

SiteTable::Slot& SiteTable::find(std::uintptr_t key)
{
    auto i = static_cast<std::size_t>(key * scatter >> shift_);
    while (slots_[i].site != nullptr && slots_[i].key != key)
        i = (i + 1) % slots_.size();
    return slots_[i];
}

Site& SiteTable::search(std::uintptr_t key, unsigned bytes, Access access)
{
    Slot& slot = find(key);
    if (slot.site != nullptr)
        return *slot.site;
    Site& site = make(key, bytes, access);
    slot = {key, &site};
    if (2 * used_ > slots_.size())
        grow();
    return site;
}

void SiteTable::grow()
{
    const std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(2 * slots_.size()));
    --shift_;
    for (const Slot& slot : old)
        if (slot.site != nullptr)
            find(slot.key) = slot;
}

Site& SiteTable::make(std::uintptr_t key, unsigned bytes, Access access)
{
    if (used_ == sites_.size())
        sites_.emplace_back();
    Site& site = sites_[used_++];
    Site fresh{.key = key, .access = access, .bytes = bytes};
    fresh.requests.swap(site.requests); // whose memory it keeps
    fresh.rounds.swap(site.rounds);
    site = std::move(fresh);
    return site;
}

Site& SiteTable::in_space(Site& site, AddressSpace space)
{
    Site* own = &site;
    for (; own->place.region.bytes != 0 && own->space() != space; own = own->other)
        if (own->other == nullptr)
            own->other = &make(site.key, site.bytes, site.access);
    return *own;
}

void SiteTable::clear()
{
    std::ranges::fill(slots_, Slot());
    used_ = 0;
}

void SiteTable::forget_places_in(const Region& region)
{
    for (std::size_t i = 0; i < used_; ++i)
        if (region.contains(sites_[i].place.region.begin))
            sites_[i].place.region.begin = UINTPTR_MAX;
}

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
    const auto requests = [](const LocalArrayTraffic& array) {
        return array.in_memory
                   ? array.counts.local_load_requests + array.counts.local_store_requests
                   : 0;
    };
    LocalArrayTraffic busiest;
    for (const LocalArrayTraffic& array : arrays)
        if (requests(array) > requests(busiest))
            busiest = array;
    return static_cast<std::uint32_t>(busiest.declaration);
}

LocalMemory::LocalMemory() : arrays_(DeviceLimits::max_threads_per_block) {}

void LocalMemory::begin_launch()
{
    declared_.clear();
    for (auto& arrays : arrays_)
        arrays.clear();
}

bool LocalMemory::note(unsigned thread, std::uintptr_t declaration, const Region& region,
                       bool surely)
{
    auto& arrays = arrays_[thread];
    for (const ArrayOfThread& array : arrays)
        if (array.region.begin == region.begin && array.region.bytes == region.bytes &&
            declared_[array.number].declaration == declaration)
            return false; // in a loop
    auto known = std::ranges::find(declared_, declaration, &LocalArrayTraffic::declaration);
    const bool fresh = known == declared_.end();
    if (fresh)
        known = declared_.insert(declared_.end(), {declaration, surely, {}});
    std::erase_if(arrays, [&](const ArrayOfThread& array) { // their scope has ended
        return array.region.contains(region.begin) ||
               array.region.contains(region.begin + region.bytes - 1);
    });
    arrays.push_back({region, static_cast<std::size_t>(known - declared_.begin())});
    return fresh;
}

std::optional<Place> LocalMemory::find(unsigned thread, std::uintptr_t address,
                                       std::size_t bytes) const
{
    for (const auto& [region, number] : arrays_[thread])
        if (region.contains(address, bytes))
            return Place{region, nullptr,
                         (static_cast<std::uintptr_t>(number) << offset_bits) - region.begin};
    return std::nullopt;
}

void LocalMemory::count(const Request& request, Access access)
{
    const auto first = static_cast<unsigned>(std::countr_zero(request.mask));
    LocalArrayTraffic& array = declared_[request.addresses[first] >> offset_bits];
    array.in_memory = array.in_memory || lanes_differ(request);
    if (access != Access::store) {
        ++array.counts.local_load_requests;
        array.counts.local_load_sectors += count_local_sectors(request);
    }
    if (access != Access::load) {
        ++array.counts.local_store_requests;
        array.counts.local_store_sectors += count_local_sectors(request);
    }
}

std::string describe_access(const Site& site, std::uintptr_t address)
{
    const char* verb = site.access == Access::load    ? "reads "
                       : site.access == Access::store ? "writes "
                                                      : "updates ";
    return verb + count(site.bytes, "byte") + " at " + hexadecimal(address);
}

void fault_at(const Site& site, std::string text, const std::string& more)
{
    const std::string line = host::source_line({site.pc()});
    if (!line.empty())
        text += " The access is at " + line + (more.empty() ? "" : "; " + more) + ".";
    else if (!more.empty())
        text += " " + more + ".";
    fault(text);
}

void KernelMemory::begin_launch(const BlockMemory& block)
{
    block_ = block;
    written_.clear();
    in_use_.clear();
    arrays_.begin_launch();
}

Place KernelMemory::find(std::uintptr_t address, const Site& site, unsigned thread)
{
    const Place place = find_any(address, site, thread);
    const AddressSpace space = place.region.space;
    if (space != AddressSpace::uncounted && space != AddressSpace::local &&
        address % site.bytes != 0)
        fault_at(site, describe_access(site, address) +
                           ", a misaligned address: it must be a multiple of " +
                           std::to_string(site.bytes) + ".");
    return place;
}

Place KernelMemory::find_any(std::uintptr_t address, const Site& site, unsigned thread)
{
    if (block_.stacks.contains(address, site.bytes))
        return find_on_stack(address, site, thread);
    for (const Region* region : {&block_.dynamic_shared, &block_.exchange})
        if (region->contains(address, site.bytes))
            return {*region};
    if (block_.static_shared.contains(address))
        return {find_shared(address, site)};
    if (GlobalRegion* allocation = arena().find_region(address);
        allocation != nullptr && allocation->contains(address, site.bytes)) {
        if (!allocation->open_to(block_.device))
            refuse(*allocation, address, site);
        return {*allocation, allocation};
    }
    if (block_.dynamic_reserved.contains(address)) {
        const std::uintptr_t end = block_.dynamic_shared.begin + block_.dynamic_shared.bytes;
        fault_at(site, describe_access(site, address) + ", " +
                           describe_distance_past(end, address, site.bytes) +
                           "the block's dynamic shared memory (" +
                           count(block_.dynamic_shared.bytes, "byte") +
                           ", the third launch parameter).");
    }
    if (!arena().contains(address)) {
        // Behind the thread-local variables may lie anything, a library's data too: a kernel may
        // read that, but what it writes there was meant for an array of its own.
        if (site.access != Access::load || block_.static_shared.contains(site.place.region.begin))
            check_overrun(address, site);
        if (const auto variable = find_variable(address, site))
            return *variable;
    }
    check_overrun(address, site);
    report_outside(address, site);
}

Place KernelMemory::find_on_stack(std::uintptr_t address, const Site& site, unsigned thread) const
{
    if (const auto array = arrays_.find(thread, address, site.bytes))
        return *array;
    // Next to an array, the same instruction may use that one the next time.
    return {arrays_.empty() ? block_.stacks : Region{address, site.bytes, AddressSpace::uncounted}};
}

std::optional<Place> KernelMemory::find_variable(std::uintptr_t address, const Site& site) const
{
    ProgramImage& image = immortal<ProgramImage>();
    const Region* const region = image.find(address);
    if (region == nullptr)
        return std::nullopt;
    if (region->space == AddressSpace::global && site.access != Access::load && device_count() > 1)
        advise({"__device__", 0},
               "writes a __device__ variable, of which the CPU device has one for all devices and "
               "each GPU its own. If they differ, use memory of cudaMalloc().");
    if (region->space == AddressSpace::constant && site.access != Access::load)
        fault_at(site, describe_access(site, address) +
                           ", in a __constant__ variable: kernels can only read those; set them "
                           "from the host with cudaMemcpyToSymbol().");
    return Place{*region,
                 region->space == AddressSpace::global ? &image.device_variables() : nullptr};
}

void KernelMemory::report_outside(std::uintptr_t address, const Site& site)
{
    // The array that the instruction has used before is the one that is meant, however close
    // others are.
    const bool of_arena = arena().contains(address);
    auto meant = site.place.global != nullptr && of_arena
                     ? find_allocation(reinterpret_cast<void*>(site.place.region.begin))
                     : std::nullopt;
    std::string text = describe_access(site, address) + ", " +
                       describe_address(address, site.bytes, meant ? &*meant : nullptr);
    if (!meant && of_arena)
        meant = nearest_allocation(reinterpret_cast<void*>(address));
    std::string of_allocation;
    if (const std::string line = meant && meant->call != 0 ? host::source_line({meant->call}) : "";
        !line.empty())
        of_allocation = "allocation " + std::to_string(meant->serial) +
                        (meant->freed ? " was freed at " : " was made at ") + line;
    text += text.ends_with('?') ? "" : ".";
    text += meant ? current_worker->advice_on_pitch(*meant, address, site.bytes) : "";
    fault_at(site, text, of_allocation);
}

void KernelMemory::refuse(const GlobalRegion& allocation, std::uintptr_t address,
                          const Site& site) const
{
    const std::string owner = std::to_string(allocation.owner());
    const std::string own = std::to_string(block_.device);
    fault_at(site, describe_access(site, address) + ", " + describe_address(address, site.bytes) +
                       " of device " + owner + ". The kernel runs on device " + own +
                       ", which has no access to that memory: call "
                       "cudaDeviceEnablePeerAccess(" +
                       owner + ", 0) while device " + own + " is current.");
}

Region KernelMemory::find_shared(std::uintptr_t address, const Site& site)
{
    if (each_variable().empty())
        return block_.static_shared; // a stripped executable: what lies where is not known
    for (const ThreadVariable& variable : each_variable()) {
        const Region region{block_.static_shared.begin + variable.offset, variable.bytes,
                            variable.built_in ? AddressSpace::uncounted : AddressSpace::shared};
        if (!region.contains(address, site.bytes))
            continue;
        if (variable.engine && !(variable.built_in && site.access == Access::load))
            break;
        if (!variable.engine)
            poison_first_use(region);
        return region;
    }
    check_overrun(address, site);
    fault_at(site, describe_access(site, address) + ", no variable of the kernel.");
}

void KernelMemory::check_overrun(std::uintptr_t address, const Site& site) const
{
    if (address - block_.static_shared.begin >= block_.static_shared.bytes + overrun_reach)
        return;
    // The variable that this instruction used before, or else the kernel's closest one below.
    const ThreadVariable* meant = nullptr;
    for (const ThreadVariable& variable : each_variable()) {
        if (variable.engine)
            continue;
        if (block_.static_shared.begin + variable.offset == site.place.region.begin) {
            meant = &variable;
            break;
        }
        if (block_.static_shared.begin + variable.offset <= address &&
            variable.declared_in(block_.kernel))
            meant = &variable;
    }
    if (meant == nullptr)
        return;
    const std::uintptr_t begin = block_.static_shared.begin + meant->offset;
    fault_at(site, describe_access(site, address) + ", " +
                       (address < begin
                            ? count(begin - address, "byte") + " before the start of "
                            : describe_distance_past(begin + meant->bytes, address, site.bytes)) +
                       "__shared__ " + meant->name + " (" + count(meant->bytes, "byte") + ").");
}

void KernelMemory::poison_first_use(const Region& variable)
{
    if (std::ranges::find(in_use_, variable.begin) != in_use_.end())
        return;
    in_use_.push_back(variable.begin);
    // What is not zero is left alone: it is poisoned already, or a barrier that the runtime
    // initialised, whose accesses come without a call of the tracer.
    const auto* bytes = reinterpret_cast<const std::byte*>(variable.begin);
    if (std::all_of(bytes, bytes + variable.bytes, [](std::byte b) { return b == std::byte{0}; }))
        fill_with_poison(variable);
}

void KernelMemory::note_shared_write(const Request& request)
{
    std::uintptr_t begin = UINTPTR_MAX;
    std::uintptr_t end = 0;
    for (unsigned lane = 0; lane < warp_lanes; ++lane) {
        if (request.mask >> lane & 1) {
            begin = std::min(begin, request.addresses[lane]);
            end = std::max(end, request.addresses[lane] + request.bytes);
        }
    }
    if (!block_.static_shared.contains(begin))
        return;
    for (Region& written : written_) {
        if (begin <= written.begin + written.bytes && written.begin <= end) {
            const std::uintptr_t last = std::max(end, written.begin + written.bytes);
            written.begin = std::min(begin, written.begin);
            written.bytes = last - written.begin;
            return;
        }
    }
    written_.push_back({begin, end - begin, AddressSpace::shared});
}

void KernelMemory::poison_shared(bool all)
{
    for (const Region& variable : written_)
        fill_with_poison(variable);
    if (!all)
        return;
    for (const ThreadVariable& variable : each_variable())
        if (!variable.engine && variable.declared_in(block_.kernel))
            fill_with_poison({block_.static_shared.begin + variable.offset, variable.bytes,
                              AddressSpace::shared});
}

std::string KernelMemory::describe(std::uintptr_t address) const
{
    const auto byte = [address](std::uintptr_t begin, const std::string& of) {
        return "byte " + std::to_string(address - begin) + " of " + of;
    };
    if (block_.dynamic_shared.contains(address))
        return byte(block_.dynamic_shared.begin, "the dynamic shared memory");
    for (const ThreadVariable& variable : each_variable())
        if (const std::uintptr_t begin = block_.static_shared.begin + variable.offset;
            !variable.engine && address - begin < variable.bytes)
            return byte(begin, "__shared__ " + variable.name);
    return place_of_global(address);
}

} // namespace cpu_device
