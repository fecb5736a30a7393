#include "core/memory.hpp"

#include "core/arena.hpp"
#include "core/faults.hpp"
#include "core/host.hpp"
#include "core/repetition.hpp"
#include "cpu_device/counts.hpp"
#include "cpu_device/device_limits.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

// The `__managed__` variables of the program, if it has any.
extern "C" const std::byte __start_cpu_device_managed[] __attribute__((weak));
extern "C" const std::byte __stop_cpu_device_managed[] __attribute__((weak));

namespace cpu_device {

namespace {

Region managed_variables()
{
    const auto begin = reinterpret_cast<std::uintptr_t>(__start_cpu_device_managed);
    return {begin, reinterpret_cast<std::uintptr_t>(__stop_cpu_device_managed) - begin};
}

/// What a distance suggests that no wrong bound of a loop makes; empty for others.
std::string wrapped(std::size_t distance)
{
    constexpr std::size_t far = std::size_t{1} << 28;
    return distance < far ? "" : ": did a 32-bit index wrap around?";
}

} // namespace

GlobalRegion::GlobalRegion(std::uintptr_t first_byte, std::size_t size, int owner)
    : Region{first_byte, size, AddressSpace::global},
      words_((first_byte % Counts::sector_bytes + size) / Counts::sector_bytes / 64 + 2),
      owner_(owner)
{}

void GlobalRegion::prepare()
{
    if (!touched_)
        touched_ = std::make_unique<std::atomic<std::uint64_t>[]>(words_);
}

void GlobalRegion::touch(std::uintptr_t first, std::uintptr_t last)
{
    if (!any_.load(std::memory_order_relaxed))
        any_.store(true, std::memory_order_relaxed);
    const std::uintptr_t origin = begin / Counts::sector_bytes;
    // Registered host memory may have a registered neighbour without a gap.
    last = std::min(last, origin + 64 * words_ - 1);
    while (first <= last) {
        const std::uintptr_t bit = first - origin;
        const std::uintptr_t wanted = std::min<std::uintptr_t>(last - first + 1, 64 - bit % 64);
        const std::uint64_t ones = (~std::uint64_t{0} >> (64 - wanted)) << bit % 64;
        std::atomic<std::uint64_t>& word = touched_[bit / 64];
        // Most sectors are touched again and again; reading first keeps the cache line shared.
        if ((word.load(std::memory_order_relaxed) & ones) != ones)
            word.fetch_or(ones, std::memory_order_relaxed);
        first += wanted;
    }
}

SectorSpan GlobalRegion::take_touched()
{
    SectorSpan span;
    if (!any_.exchange(false))
        return span;
    const std::uintptr_t origin = begin / Counts::sector_bytes;
    for (std::size_t i = 0; i < words_; ++i) {
        if (touched_[i].load(std::memory_order_relaxed) == 0)
            continue; // most of a large array, of whose blocks a sample ran
        const std::uint64_t word = touched_[i].exchange(0, std::memory_order_relaxed);
        const std::uintptr_t first = origin + 64 * i;
        if (span.sectors == 0)
            span.begin =
                (first + static_cast<unsigned>(std::countr_zero(word))) * Counts::sector_bytes;
        span.end =
            (first + 64 - static_cast<unsigned>(std::countl_zero(word))) * Counts::sector_bytes;
        span.sectors += static_cast<unsigned>(std::popcount(word));
    }
    return span;
}

std::string describe_address(std::uintptr_t address, std::size_t bytes, const Allocation* meant)
{
    if (address < null_bytes)
        return address == 0 ? "a null pointer" : count(address, "byte") + " after a null pointer";
    // A pointer that nobody has written, with an index added.
    constexpr auto unwritten = static_cast<std::uintptr_t>(std::uint64_t{poison} << 32 | poison);
    constexpr std::uintptr_t reach = UINTPTR_MAX >> 24;
    if (address - unwritten < reach || unwritten - address < reach)
        return "an uninitialized pointer: unwritten memory holds " + hexadecimal(poison) +
               " in each word";
    const auto [below, above] = arena().neighbours(address);
    if (meant == nullptr) {
        const std::size_t unknown = std::numeric_limits<std::size_t>::max();
        const std::uintptr_t end = below ? below->begin + below->bytes : 0;
        const std::size_t past = !below ? unknown : address < end ? 0 : address - end + 1;
        const std::size_t before = above ? above->begin - address : unknown;
        // Memory of the program lies anywhere, but not as close to the arena as an index of 32 bits
        // reaches from there.
        constexpr auto next_to_arena = static_cast<std::size_t>(std::uint64_t{64} << 30);
        const bool near = sizeof address > 4 && arena().range().begin - address < next_to_arena;
        if (past != 0 && !arena().contains(address) && !near &&
            std::min(past, before) > DeviceAddresses::guard_bytes)
            return "host memory that is neither pinned nor managed. If not a host pointer, an "
                   "index went past the end of a local array or a __device__ variable";
        if (!below && !above)
            return "no allocation";
        meant = past <= before ? &*below : &*above;
    }
    const std::uintptr_t end = meant->begin + meant->bytes;
    const std::string name = (meant->freed ? "freed allocation " : "allocation ") +
                             std::to_string(meant->serial) + " (" + count(meant->bytes, "byte") +
                             ")";
    if (address < meant->begin)
        return count(meant->begin - address, "byte") + " before the start of " + name +
               wrapped(meant->begin - address);
    if (address + bytes <= end)
        return "inside " + name;
    return describe_distance_past(end, address, bytes) + name +
           (address < end ? "" : wrapped(address - end + 1));
}

std::string place_of_global(std::uintptr_t address)
{
    const auto allocation = find_allocation(reinterpret_cast<const void*>(address));
    if (!allocation)
        return "a __device__ variable";
    return "byte " + std::to_string(address - allocation->begin) + " of allocation " +
           std::to_string(allocation->serial);
}

std::string describe_distance_past(std::uintptr_t end, std::uintptr_t address, std::size_t bytes)
{
    if (address == end)
        return "just past the end of ";
    return (address < end ? "reaching " + count(address + bytes - end, "byte")
                          : count(address - end, "byte")) +
           " past the end of ";
}

std::string count(std::size_t number, std::string_view noun)
{
    return std::to_string(number) + " " + std::string(noun) + (number == 1 ? "" : "s");
}

std::optional<std::vector<Region>> memory_out_of_reach()
{
    if (managed_variables().bytes != 0 || !arena().live(cudaMemoryTypeManaged).empty() ||
        !arena().live(cudaMemoryTypeHost).empty())
        return std::nullopt;
    return arena().live(cudaMemoryTypeDevice);
}

std::optional<Allocation> nearest_allocation(const void* address)
{
    const auto wanted = reinterpret_cast<std::uintptr_t>(address);
    if (const Region variables = managed_variables(); variables.contains(wanted))
        return Allocation{variables, cudaMemoryTypeManaged};
    return arena().neighbours(wanted).first;
}

std::optional<Allocation> find_allocation(const void* address)
{
    const auto found = nearest_allocation(address);
    const bool inside =
        found && !found->freed && found->contains(reinterpret_cast<std::uintptr_t>(address));
    return inside ? found : std::nullopt;
}

std::size_t device_memory_total()
{
    static const std::size_t half_of_all = host::memory_bytes() / 2;
    return half_of_all / static_cast<std::size_t>(device_count());
}

DeviceMemoryAccess::DeviceMemoryAccess(bool may_write, std::optional<Addresses> named)
    : may_write_(may_write), named_(named)
{
    if (may_write_)
        note_change_of_memory();
    arena().change_users(named_, true);
}

DeviceMemoryAccess::~DeviceMemoryAccess()
{
    if (may_write_)
        note_change_of_memory();
    arena().change_users(named_, false);
}

} // namespace cpu_device
