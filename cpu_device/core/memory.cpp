#include "core/memory.hpp"

#include "core/arena.hpp"
#include "core/faults.hpp"
#include "core/host.hpp"
#include "core/repetition.hpp"
#include "cpu_device/counts.hpp"
#include "cpu_device/device_limits.hpp"

#include <algorithm>
#include <bit>
#include <utility>

// The `__managed__` variables of the program, if it has any.
extern "C" const std::byte __start_cpu_device_managed[] __attribute__((weak));
extern "C" const std::byte __stop_cpu_device_managed[] __attribute__((weak));

namespace cpu_device {

namespace {

bool is_managed_variable(const void* address)
{
    const auto wanted = reinterpret_cast<std::uintptr_t>(address);
    return wanted >= reinterpret_cast<std::uintptr_t>(__start_cpu_device_managed) &&
           wanted < reinterpret_cast<std::uintptr_t>(__stop_cpu_device_managed);
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

std::string place_of_global(std::uintptr_t address)
{
    const auto allocation = find_allocation(reinterpret_cast<const void*>(address));
    if (!allocation)
        return "a __device__ variable";
    const auto begin = reinterpret_cast<std::uintptr_t>(allocation->address);
    return "byte " + std::to_string(address - begin) + " of allocation " +
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
    if (&__start_cpu_device_managed[0] != &__stop_cpu_device_managed[0])
        return std::nullopt;
    return arena().out_of_reach();
}

std::optional<Allocation> nearest_allocation(const void* address)
{
    if (is_managed_variable(address))
        return Allocation{
            const_cast<std::byte*>(__start_cpu_device_managed),
            static_cast<std::size_t>(__stop_cpu_device_managed - __start_cpu_device_managed),
            cudaMemoryTypeManaged};
    return arena().find(reinterpret_cast<std::uintptr_t>(address));
}

std::optional<Allocation> find_allocation(const void* address)
{
    const auto wanted = reinterpret_cast<std::uintptr_t>(address);
    const auto found = nearest_allocation(address);
    const bool inside = found && !found->freed &&
                        wanted - reinterpret_cast<std::uintptr_t>(found->address) < found->bytes;
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
    change_users(true);
}

DeviceMemoryAccess::~DeviceMemoryAccess()
{
    change_users(false);
}

void DeviceMemoryAccess::change_users(bool more) const
{
    if (may_write_)
        note_change_of_memory();
    if (!named_)
        return arena().change_users(more);
    for (const void* const address : {named_->first, named_->second})
        arena().change_users(address, more);
}

} // namespace cpu_device
