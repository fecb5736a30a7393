#include "core/arena.hpp"

#include "core/devices.hpp"
#include "core/faults.hpp"
#include "core/host.hpp"
#include "core/immortal.hpp"
#include "core/repetition.hpp"
#include "cpu_device/device_limits.hpp"
#include "cpu_device/launches.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

namespace cpu_device {
namespace {

constexpr std::size_t large_page_bytes = 2 * 1024 * 1024;
/// Out of reach behind every allocation.
constexpr std::size_t guard_bytes = 64 * 1024;

std::size_t distance_past(const Allocation& allocation, std::uintptr_t address)
{
    const std::uintptr_t offset = address - reinterpret_cast<std::uintptr_t>(allocation.address);
    return offset < allocation.bytes ? 0 : offset - allocation.bytes + 1;
}

/// What a distance suggests that no wrong bound of a loop makes; empty for others.
std::string wrapped(std::size_t distance)
{
    constexpr std::size_t far = std::size_t{1} << 28;
    return distance < far ? "" : ": did a 32-bit index wrap around?";
}

} // namespace

Arena::Arena()
{
    // The same in each run: which pages are looked at (TouchSample) follows from addresses.
    constexpr auto usual_begin = static_cast<std::uintptr_t>(std::uint64_t{1} << 45U);
    const std::size_t most = host::device_addresses();
    for (size_ = most; size_ >= most / 4096; size_ /= 2) {
        if (void* range = host::reserve(size_, usual_begin); range != nullptr) {
            begin_ = reinterpret_cast<std::uintptr_t>(range);
            next_ = round_up(begin_ + guard_bytes, large_page_bytes);
            return;
        }
    }
    size_ = 0;
}

void* Arena::allocate(std::size_t bytes, cudaMemoryType kind, int device, std::uintptr_t call)
{
    host::watch_for_faults(); // host code may use it before any kernel does
    if (kind != cudaMemoryTypeDevice || kept_bytes() > device_memory_total() / 4)
        run_deferred();
    const std::lock_guard lock(mutex_);
    const std::size_t end = begin_ + size_;
    if (bytes == 0 || bytes > size_)
        return nullptr;
    // A sample touches little of its memory, and nobody reads what it holds.
    const bool used = detail() != Detail::sample;
    if (used && kind != cudaMemoryTypeHost &&
        bytes > device_memory_total() - std::min(device_memory_total(), this->used(device)))
        return nullptr;
    const std::uintptr_t address =
        round_up(next_, bytes >= large_page_bytes ? large_page_bytes : host::page_bytes());
    const std::size_t reserved = round_up(bytes, host::page_bytes());
    if (address >= end || reserved + guard_bytes > end - address)
        return nullptr;
    void* start = reinterpret_cast<void*>(address);
    if (!host::commit(start, reserved))
        return nullptr;
    if (used && bytes >= large_page_bytes)
        host::advise_huge_pages(start, reserved);
    next_ = address + reserved + guard_bytes;
    if (kind == cudaMemoryTypeDevice) {
        if (used)
            std::fill_n(static_cast<std::uint32_t*>(start), reserved / sizeof poison, poison);
        if (users_ == 0)
            host::make_inaccessible(start, reserved);
    }
    if (kind != cudaMemoryTypeHost)
        used_by(device) += bytes;
    insert(address, bytes, kind, reserved, device);
    blocks_.find(address)->second.allocation.call = call;
    return start;
}

void* Arena::allocate_on_heap(std::size_t bytes)
{
    constexpr std::size_t gap = 64;
    constexpr std::size_t chunk = std::size_t{64} << 20;
    const std::lock_guard lock(mutex_);
    ++heap_calls_;
    bytes = std::max<std::size_t>(bytes, 1);
    const std::size_t limit = heap_limit_;
    if (bytes > limit - std::min(limit, heap_used_))
        return nullptr;
    const std::size_t reserved = round_up(bytes + gap, alignof(std::max_align_t));
    if (heap_next_ + reserved > heap_end_) {
        const std::size_t size = round_up(std::max(chunk, reserved), host::page_bytes());
        const std::uintptr_t start = round_up(next_, host::page_bytes());
        if (start + size + guard_bytes > begin_ + size_ ||
            !host::commit(reinterpret_cast<void*>(start), size))
            return nullptr;
        next_ = start + size + guard_bytes;
        heap_next_ = start;
        heap_end_ = start + size;
        heap_chunks_.push_back({start, size});
    }
    const std::uintptr_t address = std::exchange(heap_next_, heap_next_ + reserved);
    heap_used_ += bytes;
    std::fill_n(reinterpret_cast<std::uint32_t*>(address), (bytes + 3) / 4, poison);
    insert(address, bytes, cudaMemoryTypeDevice, 0, current_device());
    blocks_.find(address)->second.of_heap = true;
    return reinterpret_cast<void*>(address);
}

bool Arena::release_on_heap(void* address)
{
    const std::lock_guard lock(mutex_);
    const auto found = blocks_.find(reinterpret_cast<std::uintptr_t>(address));
    if (found == blocks_.end() || !found->second.of_heap || found->second.allocation.freed)
        return false;
    note_change_of_memory();
    heap_used_ -= found->second.allocation.bytes;
    found->second.allocation.freed = true;
    // What the warp has done with it may not have been counted yet.
    freed_by_kernels_.push_back(std::move(found->second.region));
    return true;
}

bool Arena::release(void* address, std::uintptr_t call)
{
    const std::lock_guard lock(mutex_);
    const auto found = blocks_.find(reinterpret_cast<std::uintptr_t>(address));
    if (found == blocks_.end())
        return false;
    if (!found->second.allocation.freed)
        found->second.allocation.call = call;
    return release(found->second);
}

void Arena::release_all(int device)
{
    const std::lock_guard lock(mutex_);
    for (auto& [address, block] : blocks_)
        if (block.allocation.kind == cudaMemoryTypeDevice && block.allocation.device == device)
            release(block);
}

void Arena::discard_kept()
{
    const std::lock_guard lock(mutex_);
    for (auto& [address, block] : blocks_)
        if (block.kept)
            discard(block);
    kept_bytes_ = 0;
}

void Arena::note_copied(const void* to, std::size_t bytes, const void* call)
{
    const std::lock_guard lock(mutex_);
    if (Block* const block = block_of(to); block != nullptr && block->allocation.address == to)
        block->allocation.copied = {bytes, reinterpret_cast<std::uintptr_t>(call)};
}

void Arena::note_pitch(const cudaPitchedPtr& memory, const void* call)
{
    const std::lock_guard lock(mutex_);
    if (Block* const block = block_of(memory.ptr); block != nullptr) {
        block->allocation.pitch = memory.pitch;
        block->allocation.call = reinterpret_cast<std::uintptr_t>(call);
    }
}

bool Arena::adopt(void* address, std::size_t bytes)
{
    run_deferred();
    const std::lock_guard lock(mutex_);
    const auto begin = reinterpret_cast<std::uintptr_t>(address);
    if (bytes == 0)
        return false;
    const auto after = blocks_.upper_bound(begin);
    if (after != blocks_.end() && after->first - begin < bytes)
        return false;
    if (after != blocks_.begin() &&
        begin - std::prev(after)->first < std::prev(after)->second.allocation.bytes)
        return false;
    insert(begin, bytes, cudaMemoryTypeHost, 0, current_device());
    return true;
}

bool Arena::disown(void* address)
{
    const std::lock_guard lock(mutex_);
    const auto found = blocks_.find(reinterpret_cast<std::uintptr_t>(address));
    if (found == blocks_.end() || found->second.reserved != 0 || found->second.of_heap)
        return false;
    blocks_.erase(found);
    note_change_of_memory();
    return true;
}

std::optional<Allocation> Arena::find(std::uintptr_t address)
{
    const std::lock_guard lock(mutex_);
    const Block* const block = nearest(address);
    return block == nullptr ? std::nullopt : std::optional(block->allocation);
}

GlobalRegion* Arena::find_region(std::uintptr_t address)
{
    const std::lock_guard lock(mutex_);
    const Block* const block = nearest(address);
    GlobalRegion* const region = block == nullptr ? nullptr : block->region.get();
    if (region == nullptr || !region->contains(address))
        return nullptr;
    region->prepare();
    return region;
}

std::vector<Touched> Arena::take_touched()
{
    const std::lock_guard lock(mutex_);
    freed_by_kernels_.clear();
    std::vector<Touched> touched;
    for (auto& [address, block] : blocks_)
        if (const SectorSpan span = block.region ? block.region->take_touched() : SectorSpan{};
            span.sectors > 0)
            touched.push_back({block.allocation.address, block.allocation.kind,
                               block.allocation.device, span, block.region->take_written()});
    return touched;
}

std::optional<std::vector<Region>> Arena::out_of_reach()
{
    const std::lock_guard lock(mutex_);
    for (const auto& [address, block] : blocks_)
        if (block.has_pages() && block.allocation.kind != cudaMemoryTypeDevice)
            return std::nullopt;
    std::vector<Region> live = heap_chunks_;
    for (const auto& [address, block] : blocks_)
        if (block.has_pages() && !block.of_heap)
            live.push_back({address, block.allocation.bytes, AddressSpace::global});
    return live;
}

std::vector<Region> Arena::managed()
{
    const std::lock_guard lock(mutex_);
    std::vector<Region> live;
    for (const auto& [address, block] : blocks_)
        if (block.has_pages() && block.allocation.kind == cudaMemoryTypeManaged)
            live.push_back({address, block.allocation.bytes, AddressSpace::global});
    return live;
}

void Arena::change_users(bool more)
{
    const std::lock_guard lock(mutex_);
    users_ += more ? 1 : -1;
    if (users_ == (more ? 1 : 0))
        for_each_of_device([&](void* begin, std::size_t bytes) { set_open(begin, bytes, more); });
}

void Arena::change_users(const void* address, bool more)
{
    if (of_heap(address))
        return change_users(more);
    const std::lock_guard lock(mutex_);
    Block* const block = block_of(address);
    if (block == nullptr)
        return;
    block->users += more ? 1 : -1;
    if (block->users == (more ? 1 : 0) && users_ == 0)
        set_open(block->allocation.address, block->reserved, more);
}

std::string Arena::describe(std::uintptr_t address, std::size_t bytes, const Allocation* meant)
{
    if (address < null_bytes)
        return address == 0 ? "a null pointer" : count(address, "byte") + " after a null pointer";
    // A pointer that nobody has written, with an index added.
    constexpr auto unwritten = static_cast<std::uintptr_t>(std::uint64_t{poison} << 32 | poison);
    constexpr std::uintptr_t reach = UINTPTR_MAX >> 24;
    if (address - unwritten < reach || unwritten - address < reach)
        return "an uninitialized pointer: unwritten memory holds " + hexadecimal(poison) +
               " in each word";
    const std::lock_guard lock(mutex_);
    if (meant == nullptr) {
        const auto after = blocks_.upper_bound(address);
        const Block* const below = nearest(address);
        const std::size_t unknown = std::numeric_limits<std::size_t>::max();
        const std::size_t past =
            below == nullptr ? unknown : distance_past(below->allocation, address);
        const std::size_t before = after == blocks_.end() ? unknown : after->first - address;
        // Memory of the program lies anywhere, but not as close to the arena as an index of 32 bits
        // reaches from there.
        constexpr auto next_to_arena = static_cast<std::size_t>(std::uint64_t{64} << 30);
        const bool near = sizeof address > 4 && begin_ - address < next_to_arena;
        if (past != 0 && !contains(address) && !near && std::min(past, before) > guard_bytes)
            return "host memory that is neither pinned nor managed. If not a host pointer, an "
                   "index went past the end of a local array or a __device__ variable";
        if (blocks_.empty())
            return "no allocation";
        meant = past <= before ? &below->allocation : &after->second.allocation;
    }
    const auto begin = reinterpret_cast<std::uintptr_t>(meant->address);
    const std::uintptr_t end = begin + meant->bytes;
    const std::string name = (meant->freed ? "freed allocation " : "allocation ") +
                             std::to_string(meant->serial) + " (" + count(meant->bytes, "byte") +
                             ")";
    if (address < begin)
        return count(begin - address, "byte") + " before the start of " + name +
               wrapped(begin - address);
    if (address + bytes <= end)
        return "inside " + name;
    return describe_distance_past(end, address, bytes) + name +
           wrapped(distance_past(*meant, address));
}

void Arena::insert(std::uintptr_t begin, std::size_t bytes, cudaMemoryType kind,
                   std::size_t reserved, int device)
{
    note_change_of_memory();
    Block block;
    block.allocation = {reinterpret_cast<std::byte*>(begin), bytes, kind, ++serial_, false, device};
    block.region = std::make_unique<GlobalRegion>(
        begin, bytes, kind == cudaMemoryTypeDevice ? device : GlobalRegion::no_device);
    block.reserved = reserved;
    blocks_.insert_or_assign(begin, std::move(block));
}

bool Arena::release(Block& block)
{
    if (block.allocation.freed || block.reserved == 0)
        return false;
    if (block.allocation.kind != cudaMemoryTypeHost)
        used_by(block.allocation.device) -= block.allocation.bytes;
    block.allocation.freed = true;
    block.kept = any_deferred();
    kept_bytes_ += block.kept ? block.reserved : 0;
    if (!block.kept)
        discard(block);
    return true;
}

void Arena::discard(Block& block)
{
    note_change_of_memory();
    host::discard(block.allocation.address, block.reserved);
    block.region.reset();
    block.kept = false;
}

void Arena::set_open(void* begin, std::size_t bytes, bool open)
{
    if (!open)
        return host::make_inaccessible(begin, bytes);
    ++openings_;
    static_cast<void>(host::commit(begin, bytes));
}

bool Arena::of_heap(const void* address)
{
    const std::lock_guard lock(mutex_);
    return std::ranges::any_of(heap_chunks_, [&](const Region& chunk) {
        return chunk.contains(reinterpret_cast<std::uintptr_t>(address));
    });
}

Block* Arena::nearest(std::uintptr_t address)
{
    const auto after = blocks_.upper_bound(address);
    return after == blocks_.begin() ? nullptr : &std::prev(after)->second;
}

Block* Arena::block_of(const void* pointer)
{
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    Block* const block = nearest(address);
    const bool inside = block != nullptr && distance_past(block->allocation, address) == 0;
    return inside && block->opens() ? block : nullptr;
}

Arena& arena()
{
    return immortal<Arena>();
}

} // namespace cpu_device
