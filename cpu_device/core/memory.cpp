#include "core/memory.hpp"

#include "core/devices.hpp"
#include "core/host.hpp"
#include "core/put_off.hpp"
#include "core/repetition.hpp"
#include "cpu_device/counts.hpp"
#include "cpu_device/device_limits.hpp"
#include "cpu_device/launches.hpp"
#include "cpu_device/poison.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>
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

constexpr std::size_t large_page_bytes = 2 * 1024 * 1024;
/// Out of reach behind every allocation.
constexpr std::size_t guard_bytes = 64 * 1024;
/// Addresses alone; freed ones are never handed out again. Where they have 32 bits, with memory
/// behind all of them.
constexpr auto arena_bytes =
    static_cast<std::size_t>(std::uint64_t{1} << (sizeof(std::size_t) < 8 ? 30 : 42));

struct Block
{
    Allocation allocation;
    std::unique_ptr<GlobalRegion> region;
    std::size_t reserved = 0; ///< bytes of the arena; 0 for memory that the program owns
    bool of_heap = false;     ///< of a kernel's malloc()
    bool kept = false;        ///< freed, but what was put off still needs it
    unsigned users = 0;       ///< DeviceMemoryAccess objects alive that name it

    [[nodiscard]] bool has_pages() const { return !allocation.freed || kept; }
};

/// All allocations, live and freed, in one reserved range of addresses.
class Arena
{
  public:
    Arena()
    {
        // The same in each run: which pages are looked at (TouchSample) follows from addresses.
        constexpr auto usual_begin = static_cast<std::uintptr_t>(std::uint64_t{1} << 45U);
        for (size_ = arena_bytes; size_ >= arena_bytes / 4096; size_ /= 2) {
            if (void* range = host::reserve(size_, usual_begin); range != nullptr) {
                begin_ = reinterpret_cast<std::uintptr_t>(range);
                next_ = round_up(begin_ + guard_bytes, large_page_bytes);
                return;
            }
        }
        size_ = 0;
    }

    void* allocate(std::size_t bytes, cudaMemoryType kind, int device, std::uintptr_t call)
    {
        const std::lock_guard lock(mutex_);
        const std::size_t end = begin_ + size_;
        if (bytes == 0 || bytes > size_)
            return nullptr;
        if (kind != cudaMemoryTypeHost &&
            bytes > device_memory_total() - std::min(device_memory_total(), used_by(device)))
            return nullptr;
        const std::uintptr_t address =
            round_up(next_, bytes >= large_page_bytes ? large_page_bytes : host::page_bytes());
        const std::size_t reserved = round_up(bytes, host::page_bytes());
        if (address >= end || reserved + guard_bytes > end - address)
            return nullptr;
        void* start = reinterpret_cast<void*>(address);
        if (!host::open(start, reserved))
            return nullptr;
        // A sample touches little of its memory, and nobody reads what it holds.
        const bool used = detail() != Detail::sample;
        if (used && bytes >= large_page_bytes)
            host::expect_much_use(start, reserved);
        next_ = address + reserved + guard_bytes;
        if (kind == cudaMemoryTypeDevice) {
            if (used)
                std::fill_n(static_cast<std::uint32_t*>(start), reserved / sizeof poison, poison);
            if (users_ == 0)
                host::close(start, reserved);
        }
        if (kind != cudaMemoryTypeHost)
            used_by(device) += bytes;
        insert(address, bytes, kind, reserved, device);
        blocks_.find(address)->second.allocation.call = call;
        return start;
    }

    /// Allocations of the heap lie close together: what is not inside one is told by the map, not
    /// by the pages. A freed one is never handed out again.
    void* allocate_on_heap(std::size_t bytes)
    {
        constexpr std::size_t gap = 64;
        constexpr std::size_t chunk = std::size_t{64} << 20;
        const std::lock_guard lock(mutex_);
        bytes = std::max<std::size_t>(bytes, 1);
        if (bytes > heap_limit_ - std::min(heap_limit_, heap_used_))
            return nullptr;
        const std::size_t reserved = round_up(bytes + gap, alignof(std::max_align_t));
        if (heap_next_ + reserved > heap_end_) {
            const std::size_t size = round_up(std::max(chunk, reserved), host::page_bytes());
            const std::uintptr_t start = round_up(next_, host::page_bytes());
            if (start + size + guard_bytes > begin_ + size_ ||
                !host::open(reinterpret_cast<void*>(start), size))
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

    bool release_on_heap(void* address)
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

    void set_heap_limit(std::size_t bytes)
    {
        const std::lock_guard lock(mutex_);
        heap_limit_ = bytes;
    }
    std::size_t heap_limit()
    {
        const std::lock_guard lock(mutex_);
        return heap_limit_;
    }

    bool release(void* address)
    {
        const std::lock_guard lock(mutex_);
        const auto found = blocks_.find(reinterpret_cast<std::uintptr_t>(address));
        if (found == blocks_.end())
            return false;
        return release(found->second);
    }

    void release_all(int device)
    {
        const std::lock_guard lock(mutex_);
        for (auto& [address, block] : blocks_)
            if (block.allocation.kind == cudaMemoryTypeDevice && block.allocation.device == device)
                release(block);
    }

    void discard_kept()
    {
        const std::lock_guard lock(mutex_);
        for (auto& [address, block] : blocks_)
            if (block.kept)
                discard(block);
        kept_bytes_ = 0;
    }

    std::size_t kept_bytes()
    {
        const std::lock_guard lock(mutex_);
        return kept_bytes_;
    }

    bool adopt(void* address, std::size_t bytes)
    {
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

    bool disown(void* address)
    {
        const std::lock_guard lock(mutex_);
        const auto found = blocks_.find(reinterpret_cast<std::uintptr_t>(address));
        if (found == blocks_.end() || found->second.reserved != 0 || found->second.of_heap)
            return false;
        blocks_.erase(found);
        note_change_of_memory();
        return true;
    }

    bool find(std::uintptr_t address, Allocation& result)
    {
        const std::lock_guard lock(mutex_);
        const auto after = blocks_.upper_bound(address);
        if (after == blocks_.begin())
            return false;
        result = std::prev(after)->second.allocation;
        return true;
    }

    GlobalRegion* find_region(std::uintptr_t address)
    {
        const std::lock_guard lock(mutex_);
        const auto after = blocks_.upper_bound(address);
        if (after == blocks_.begin())
            return nullptr;
        GlobalRegion* region = std::prev(after)->second.region.get();
        if (region == nullptr || !region->contains(address))
            return nullptr;
        region->prepare();
        return region;
    }

    std::vector<Touched> take_touched()
    {
        const std::lock_guard lock(mutex_);
        freed_by_kernels_.clear();
        std::vector<Touched> touched;
        for (auto& [address, block] : blocks_)
            if (const SectorSpan span = block.region ? block.region->take_touched() : SectorSpan{};
                span.sectors > 0)
                touched.push_back({block.allocation.address, block.allocation.kind,
                                   block.allocation.device, span});
        return touched;
    }

    std::optional<std::vector<Region>> out_of_reach()
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

    void open()
    {
        const std::lock_guard lock(mutex_);
        if (users_++ == 0)
            for_each_of_device([this](void* begin, std::size_t bytes) { open(begin, bytes); });
    }

    void close()
    {
        const std::lock_guard lock(mutex_);
        if (--users_ == 0)
            for_each_of_device(host::close);
    }

    /// Opens one allocation; does nothing with an address of none.
    void open(const void* address)
    {
        if (of_heap(address))
            return open();
        const std::lock_guard lock(mutex_);
        if (Block* const block = block_of(address);
            block != nullptr && block->users++ == 0 && users_ == 0)
            open(block->allocation.address, block->reserved);
    }

    /// The same allocation, if it has not been freed since.
    void close(const void* address)
    {
        if (of_heap(address))
            return close();
        const std::lock_guard lock(mutex_);
        if (Block* const block = block_of(address);
            block != nullptr && --block->users == 0 && users_ == 0)
            host::close(block->allocation.address, block->reserved);
    }

    [[nodiscard]] std::uint64_t openings() const { return openings_; }

    std::size_t used(int device)
    {
        const std::lock_guard lock(mutex_);
        return used_by(device);
    }

    [[nodiscard]] bool contains(std::uintptr_t address) const { return address - begin_ < size_; }

    std::string describe(std::uintptr_t address, std::size_t bytes, const Allocation* meant)
    {
        if (address < null_bytes)
            return address == 0 ? "a null pointer"
                                : count(address, "byte") + " after a null pointer";
        const std::lock_guard lock(mutex_);
        if (meant != nullptr) {
            const auto begin = reinterpret_cast<std::uintptr_t>(meant->address);
            return (address < begin
                        ? count(begin - address, "byte") + " before the start of "
                        : describe_distance_past(begin + meant->bytes, address, bytes)) +
                   name(*meant);
        }
        const auto after = blocks_.upper_bound(address);
        const Allocation* below =
            after == blocks_.begin() ? nullptr : &std::prev(after)->second.allocation;
        const Allocation* above = after == blocks_.end() ? nullptr : &after->second.allocation;
        const std::size_t unknown = std::numeric_limits<std::size_t>::max();
        const std::size_t past = below == nullptr ? unknown : distance_past(*below, address);
        const std::size_t before = above == nullptr ? unknown : after->first - address;
        // Memory of the program lies anywhere; only the arena has neighbours worth naming.
        if (past != 0 && !contains(address) && std::min(past, before) > guard_bytes)
            return "host memory that is neither pinned nor managed. If no pointer leads there, an "
                   "index went past the end of a local array or a __device__ variable";
        if (past <= before && below != nullptr) {
            const std::string name = this->name(*below);
            if (past == 0 && below->freed)
                return "inside freed " + name;
            const std::uintptr_t end =
                reinterpret_cast<std::uintptr_t>(below->address) + below->bytes;
            if (address + bytes > end)
                return describe_distance_past(end, address, bytes) +
                       (below->freed ? "freed " : "") + name;
            return "inside " + name;
        }
        if (above != nullptr)
            return count(before, "byte") + " before the start of " +
                   (above->freed ? "freed " : "") + name(*above);
        return "no allocation";
    }

  private:
    static std::size_t distance_past(const Allocation& allocation, std::uintptr_t address)
    {
        const std::uintptr_t offset =
            address - reinterpret_cast<std::uintptr_t>(allocation.address);
        return offset < allocation.bytes ? 0 : offset - allocation.bytes + 1;
    }

    static std::string name(const Allocation& allocation)
    {
        return "allocation " + std::to_string(allocation.serial) + " (" +
               count(allocation.bytes, "byte") + ")";
    }

    void insert(std::uintptr_t begin, std::size_t bytes, cudaMemoryType kind, std::size_t reserved,
                int device)
    {
        note_change_of_memory();
        Block block;
        block.allocation = {
            reinterpret_cast<std::byte*>(begin), bytes, kind, ++serial_, false, device};
        block.region = std::make_unique<GlobalRegion>(
            begin, bytes, kind == cudaMemoryTypeDevice ? device : GlobalRegion::no_device);
        block.reserved = reserved;
        blocks_.insert_or_assign(begin, std::move(block));
    }

    bool release(Block& block)
    {
        if (block.allocation.freed || block.reserved == 0)
            return false;
        if (block.allocation.kind != cudaMemoryTypeHost)
            used_by(block.allocation.device) -= block.allocation.bytes;
        block.allocation.freed = true;
        block.kept = anything_is_put_off();
        kept_bytes_ += block.kept ? block.reserved : 0;
        if (!block.kept)
            discard(block);
        return true;
    }

    void discard(Block& block)
    {
        note_change_of_memory();
        host::discard(block.allocation.address, block.reserved);
        block.region.reset();
        block.kept = false;
    }

    std::size_t& used_by(int device) { return used_[static_cast<std::size_t>(device)]; }

    void open(void* begin, std::size_t bytes)
    {
        ++openings_;
        static_cast<void>(host::open(begin, bytes));
    }

    /// True in the heap of kernels, all of which is opened at a time.
    bool of_heap(const void* address)
    {
        const std::lock_guard lock(mutex_);
        return std::ranges::any_of(heap_chunks_, [&](const Region& chunk) {
            return chunk.contains(reinterpret_cast<std::uintptr_t>(address));
        });
    }

    /// Where pages are opened for `address` alone: those of live memory of a device.
    Block* block_of(const void* address)
    {
        const auto after = blocks_.upper_bound(reinterpret_cast<std::uintptr_t>(address));
        if (after == blocks_.begin())
            return nullptr;
        Block& block = std::prev(after)->second;
        const bool inside =
            distance_past(block.allocation, reinterpret_cast<std::uintptr_t>(address)) == 0;
        return inside && opens(block) ? &block : nullptr;
    }

    /// True of memory of a device that has pages of its own.
    static bool opens(const Block& block)
    {
        return block.allocation.kind == cudaMemoryTypeDevice && block.has_pages() && !block.of_heap;
    }

    /// Calls change(begin, bytes) for the pages of all live memory of the devices, but for that
    /// which is open by its name.
    template<class Change>
    void for_each_of_device(Change change)
    {
        for (auto& [address, block] : blocks_)
            if (opens(block) && block.users == 0)
                change(reinterpret_cast<void*>(address), block.reserved);
        for (const Region& chunk : heap_chunks_)
            change(reinterpret_cast<void*>(chunk.begin), chunk.bytes);
    }

    std::mutex mutex_;
    std::map<std::uintptr_t, Block> blocks_;                      ///< by address
    std::vector<std::unique_ptr<GlobalRegion>> freed_by_kernels_; ///< until take_touched()
    std::uintptr_t begin_ = 0;
    std::uintptr_t next_ = 0;
    std::size_t size_ = 0;
    std::array<std::size_t, max_devices> used_{}; ///< by device
    std::uint64_t serial_ = 0;
    std::vector<Region> heap_chunks_;
    std::uintptr_t heap_next_ = 0;
    std::uintptr_t heap_end_ = 0;
    std::size_t heap_used_ = 0;
    std::size_t kept_bytes_ = 0;                    ///< of freed blocks
    std::size_t heap_limit_ = std::size_t{8} << 20; ///< CUDA's default
    unsigned users_ = 0; ///< DeviceMemoryAccess objects alive that name nothing
    std::atomic<std::uint64_t> openings_ = 0;
};

/// Never destroyed: programs free device memory from destructors of static objects.
Arena& arena()
{
    static Arena& instance = *new Arena;
    return instance;
}

} // namespace

GlobalRegion::GlobalRegion(std::uintptr_t first_byte, std::size_t size, int owner)
    : Region{first_byte, size, AddressSpace::global},
      words_((first_byte % Counts::sector_bytes + size) / Counts::sector_bytes / 64 + 2),
      owner_(owner)
{}

bool GlobalRegion::open_to(int device) const
{
    return owner_ == no_device || owner_ == device || has_access(device, owner_);
}

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
        const std::uint64_t word = touched_[i].exchange(0, std::memory_order_relaxed);
        if (word == 0)
            continue;
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

GlobalRegion* find_global(std::uintptr_t address)
{
    return arena().find_region(address);
}

std::vector<Touched> take_touched()
{
    return arena().take_touched();
}

bool in_arena(std::uintptr_t address)
{
    return arena().contains(address);
}

std::string describe_address(std::uintptr_t address, std::size_t bytes, const Allocation* meant)
{
    return arena().describe(address, bytes, meant);
}

std::string place_of_global(std::uintptr_t address)
{
    Allocation allocation;
    if (!find_live_allocation(reinterpret_cast<const void*>(address), allocation))
        return "a __device__ variable";
    const auto begin = reinterpret_cast<std::uintptr_t>(allocation.address);
    return "byte " + std::to_string(address - begin) + " of allocation " +
           std::to_string(allocation.serial);
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

void* allocate(std::size_t bytes, cudaMemoryType kind, int device, std::uintptr_t call)
{
    host::watch_for_faults(); // host code may use it before any kernel does
    if (kind != cudaMemoryTypeDevice || arena().kept_bytes() > device_memory_total() / 4)
        do_what_was_put_off();
    return arena().allocate(bytes, kind, device, call);
}

bool release(void* address)
{
    return arena().release(address);
}

void release_all(int device)
{
    arena().release_all(device);
}

void* allocate_on_heap(std::size_t bytes)
{
    return arena().allocate_on_heap(bytes);
}

bool release_on_heap(void* address)
{
    return arena().release_on_heap(address);
}

std::optional<std::vector<Region>> memory_out_of_reach()
{
    if (&__start_cpu_device_managed[0] != &__stop_cpu_device_managed[0])
        return std::nullopt;
    return arena().out_of_reach();
}

std::size_t device_heap_limit()
{
    return arena().heap_limit();
}

void set_device_heap_limit(std::size_t bytes)
{
    arena().set_heap_limit(bytes);
}

bool find_allocation(const void* address, Allocation& found)
{
    if (is_managed_variable(address)) {
        found = {const_cast<std::byte*>(__start_cpu_device_managed),
                 static_cast<std::size_t>(__stop_cpu_device_managed - __start_cpu_device_managed),
                 cudaMemoryTypeManaged};
        return true;
    }
    return arena().find(reinterpret_cast<std::uintptr_t>(address), found);
}

bool find_live_allocation(const void* address, Allocation& found)
{
    const auto wanted = reinterpret_cast<std::uintptr_t>(address);
    return find_allocation(address, found) && !found.freed &&
           wanted - reinterpret_cast<std::uintptr_t>(found.address) < found.bytes;
}

void discard_what_was_kept()
{
    arena().discard_kept();
}

bool adopt(void* address, std::size_t bytes)
{
    do_what_was_put_off();
    return arena().adopt(address, bytes);
}

bool disown(void* address)
{
    return arena().disown(address);
}

std::size_t device_memory_used(int device)
{
    return arena().used(device);
}

std::size_t device_memory_total()
{
    static const std::size_t half_of_all = host::memory_bytes() / 2;
    return half_of_all / static_cast<std::size_t>(device_count());
}

DeviceMemoryAccess::DeviceMemoryAccess(bool may_write) : may_write_(may_write)
{
    if (may_write_)
        note_change_of_memory();
    arena().open();
}

DeviceMemoryAccess::DeviceMemoryAccess(bool may_write, const void* one, const void* other)
    : may_write_(may_write), named_(std::in_place, one, other)
{
    if (may_write_)
        note_change_of_memory();
    arena().open(one);
    arena().open(other);
}

DeviceMemoryAccess::~DeviceMemoryAccess()
{
    if (may_write_)
        note_change_of_memory();
    if (!named_) {
        arena().close();
        return;
    }
    arena().close(named_->first);
    arena().close(named_->second);
}

std::uint64_t device_memory_openings()
{
    return arena().openings();
}

} // namespace cpu_device
