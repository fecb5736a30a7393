#include "core/arena.hpp"

#include "core/devices.hpp"
#include "core/host.hpp"
#include "core/immortal.hpp"
#include "core/repetition.hpp"
#include "cpu_device/device_limits.hpp"
#include "cpu_device/launches.hpp"

#include <algorithm>
#include <iterator>

namespace cpu_device {
namespace {

constexpr std::size_t large_page_bytes = 2 * 1024 * 1024;

} // namespace

DeviceAddresses::DeviceAddresses()
{
    // The same in each run: which pages are looked at (TouchSample) follows from addresses.
    constexpr auto usual_begin = static_cast<std::uintptr_t>(std::uint64_t{1} << 45U);
    const std::size_t most = host::device_addresses();
    for (std::size_t size = most; size >= most / 4096; size /= 2) {
        if (void* begin = host::reserve(size, usual_begin); begin != nullptr) {
            range_ = {reinterpret_cast<std::uintptr_t>(begin), size};
            next_ = round_up(range_.begin + guard_bytes, large_page_bytes);
            return;
        }
    }
}

Region DeviceAddresses::take(std::size_t bytes, std::size_t alignment)
{
    if (bytes > range_.bytes)
        return {};
    const std::uintptr_t begin = round_up(next_, alignment);
    const std::size_t size = round_up(bytes, host::page_bytes());
    if (!range_.contains(begin, size + guard_bytes) ||
        !host::commit(reinterpret_cast<void*>(begin), size))
        return {};
    next_ = begin + size + guard_bytes;
    return {begin, size};
}

std::uintptr_t KernelHeap::take(std::size_t bytes, DeviceAddresses& addresses)
{
    constexpr std::size_t gap = 64;
    constexpr std::size_t chunk_bytes = std::size_t{64} << 20;
    ++asked_.first;
    asked_.second += bytes;
    const std::size_t limit = limit_;
    if (bytes > limit - std::min(limit, used_))
        return 0;
    const std::size_t reserved = round_up(bytes + gap, alignof(std::max_align_t));
    if (chunks_.empty() || !chunks_.back().contains(next_, reserved)) {
        const Region chunk = addresses.take(std::max(chunk_bytes, reserved), host::page_bytes());
        if (chunk.bytes == 0)
            return 0;
        chunks_.push_back(chunk);
        next_ = chunk.begin;
    }
    used_ += bytes;
    next_ += reserved;
    return next_ - reserved;
}

void Block::discard()
{
    note_change_of_memory();
    host::discard(reinterpret_cast<void*>(allocation.begin), reserved);
    region.reset();
    kept = false;
}

void* Arena::allocate(std::size_t bytes, cudaMemoryType kind, int device, const void* call,
                      std::size_t pitch)
{
    host::watch_for_faults(); // host code may use it before any kernel does
    if (kind != cudaMemoryTypeDevice || kept_bytes_ > device_memory_total() / 4)
        run_deferred();
    const std::lock_guard lock(mutex_);
    // A sample touches little of its memory, and nobody reads what it holds.
    const bool used = detail() != Detail::sample;
    if (used && kind != cudaMemoryTypeHost && bytes > left(device))
        return nullptr;
    const bool large = bytes >= large_page_bytes;
    const auto [begin, reserved, space] =
        addresses_.take(bytes, large ? large_page_bytes : host::page_bytes());
    if (reserved == 0)
        return nullptr;
    void* const start = reinterpret_cast<void*>(begin);
    if (used && large)
        host::advise_huge_pages(start, reserved);
    if (kind == cudaMemoryTypeDevice) {
        if (used)
            std::fill_n(static_cast<std::uint32_t*>(start), reserved / sizeof poison, poison);
        if (users_ == 0)
            host::make_inaccessible(start, reserved);
    }
    if (kind != cudaMemoryTypeHost)
        used_[static_cast<std::size_t>(device)] += bytes;
    Block& block = insert(begin, bytes, kind, device);
    block.reserved = reserved;
    block.allocation.call = reinterpret_cast<std::uintptr_t>(call);
    block.allocation.pitch = pitch;
    return start;
}

void* Arena::allocate_on_heap(std::size_t bytes)
{
    const std::lock_guard lock(mutex_);
    bytes = std::max<std::size_t>(bytes, 1);
    const std::uintptr_t address = heap_.take(bytes, addresses_);
    if (address == 0)
        return nullptr;
    std::fill_n(reinterpret_cast<std::uint32_t*>(address), (bytes + 3) / 4, poison);
    insert(address, bytes, cudaMemoryTypeDevice, current_device()).of_heap = true;
    return reinterpret_cast<void*>(address);
}

bool Arena::release_on_heap(void* address)
{
    const std::lock_guard lock(mutex_);
    Block* const block = at(address);
    if (block == nullptr || !block->of_heap || block->allocation.freed)
        return false;
    note_change_of_memory();
    heap_.give_back(block->allocation.bytes);
    block->allocation.freed = true;
    // What the warp has done with it may not have been counted yet.
    freed_by_kernels_.push_back(std::move(block->region));
    return true;
}

bool Arena::release(void* address, const void* call)
{
    const std::lock_guard lock(mutex_);
    Block* const block = at(address);
    if (block == nullptr || !release(*block))
        return false;
    block->allocation.call = reinterpret_cast<std::uintptr_t>(call);
    return true;
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
            block.discard();
    kept_bytes_ = 0;
}

void Arena::note_copied(const void* to, std::size_t bytes, const void* call)
{
    const std::lock_guard lock(mutex_);
    if (Block* const block = at(to); block != nullptr && block->opens())
        block->allocation.copied = {bytes, reinterpret_cast<std::uintptr_t>(call)};
}

bool Arena::adopt(void* address, std::size_t bytes)
{
    run_deferred();
    const std::lock_guard lock(mutex_);
    const auto begin = reinterpret_cast<std::uintptr_t>(address);
    const Block* const last = nearest(begin + bytes - 1);
    if (last != nullptr && last->allocation.begin + last->allocation.bytes > begin)
        return false;
    insert(begin, bytes, cudaMemoryTypeHost, current_device());
    return true;
}

bool Arena::disown(void* address)
{
    const std::lock_guard lock(mutex_);
    Block* const block = at(address);
    if (block == nullptr || block->reserved != 0 || block->of_heap)
        return false;
    blocks_.erase(block->allocation.begin);
    note_change_of_memory();
    return true;
}

std::size_t Arena::left(int device) const
{
    const std::size_t total = device_memory_total();
    return total - std::min<std::size_t>(total, used_[static_cast<std::size_t>(device)]);
}

Arena::Neighbours Arena::neighbours(std::uintptr_t address)
{
    const std::lock_guard lock(mutex_);
    Neighbours found;
    if (const Block* const below = nearest(address); below != nullptr)
        found.first = below->allocation;
    if (const auto above = blocks_.upper_bound(address); above != blocks_.end())
        found.second = above->second.allocation;
    return found;
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
            touched.push_back({block.allocation, span, block.region->take_written()});
    return touched;
}

std::vector<Region> Arena::live(cudaMemoryType kind)
{
    const std::lock_guard lock(mutex_);
    std::vector<Region> live;
    if (kind == cudaMemoryTypeDevice)
        live = heap_.chunks();
    for (const auto& [address, block] : blocks_)
        if (block.has_pages() && block.allocation.kind == kind)
            live.push_back(block.allocation);
    return live;
}

void Arena::change_users(const std::optional<DeviceMemoryAccess::Addresses>& named, bool more)
{
    const std::lock_guard lock(mutex_);
    if (!named)
        return change_users(more);
    for (const void* const pointer : {named->first, named->second}) {
        const auto address = reinterpret_cast<std::uintptr_t>(pointer);
        Block* const block = nearest(address);
        if (block != nullptr && block->of_heap)
            change_users(more);
        if (block == nullptr || !block->opens() || !block->allocation.contains(address))
            continue;
        block->users += more ? 1 : -1;
        if (block->users == (more ? 1 : 0) && users_ == 0)
            set_open(block->allocation.begin, block->reserved, more);
    }
}

Block& Arena::insert(std::uintptr_t begin, std::size_t bytes, cudaMemoryType kind, int device)
{
    note_change_of_memory();
    Block& block = blocks_[begin] = {};
    block.allocation = {{begin, bytes, AddressSpace::global}, kind, ++serial_, false, device};
    block.region = std::make_unique<GlobalRegion>(
        begin, bytes, kind == cudaMemoryTypeDevice ? device : GlobalRegion::no_device);
    return block;
}

Block* Arena::at(const void* address)
{
    const auto found = blocks_.find(reinterpret_cast<std::uintptr_t>(address));
    return found == blocks_.end() ? nullptr : &found->second;
}

Block* Arena::nearest(std::uintptr_t address)
{
    const auto after = blocks_.upper_bound(address);
    return after == blocks_.begin() ? nullptr : &std::prev(after)->second;
}

bool Arena::release(Block& block)
{
    if (block.allocation.freed || block.reserved == 0)
        return false;
    if (block.allocation.kind != cudaMemoryTypeHost)
        used_[static_cast<std::size_t>(block.allocation.device)] -= block.allocation.bytes;
    block.allocation.freed = true;
    block.kept = any_deferred();
    kept_bytes_ += block.kept ? block.reserved : 0;
    if (!block.kept)
        block.discard();
    return true;
}

void Arena::change_users(bool more)
{
    users_ += more ? 1 : -1;
    if (users_ != (more ? 1 : 0))
        return;
    for (const auto& [address, block] : blocks_)
        if (block.opens() && block.users == 0)
            set_open(address, block.reserved, more);
    for (const Region& chunk : heap_.chunks())
        set_open(chunk.begin, chunk.bytes, more);
}

void Arena::set_open(std::uintptr_t begin, std::size_t bytes, bool open)
{
    void* const start = reinterpret_cast<void*>(begin);
    if (!open)
        return host::make_inaccessible(start, bytes);
    ++openings_;
    static_cast<void>(host::commit(start, bytes));
}

Arena& arena()
{
    return immortal<Arena>();
}

} // namespace cpu_device
