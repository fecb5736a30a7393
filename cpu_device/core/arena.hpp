/// \file
/// The addresses from which memory is handed out.
#pragma once

#include "core/memory.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace cpu_device {

/// One reserved range of addresses, from which pages are taken; none is taken twice.
class DeviceAddresses
{
  public:
    /// Out of reach behind all that is taken.
    static constexpr std::size_t guard_bytes = 64 * 1024;

    DeviceAddresses();
    [[nodiscard]] const Region& range() const { return range_; }
    /// Takes pages for `bytes` from a multiple of `alignment` on, which can be used at once; none
    /// without addresses or memory.
    [[nodiscard]] Region take(std::size_t bytes, std::size_t alignment);

  private:
    Region range_;
    std::uintptr_t next_ = 0;
};

/// Where a kernel's malloc() and new find memory. The allocations lie close together, in chunks of
/// many pages.
class KernelHeap
{
  public:
    /// Sets how many bytes may be allocated at a time. Any thread.
    void set_limit(std::size_t bytes) { limit_ = bytes; }
    [[nodiscard]] std::size_t limit() const { return limit_; }
    /// Calls of take() and their bytes since the last time that somebody asked, when none runs.
    std::pair<std::uint64_t, std::uint64_t> take_asked() { return std::exchange(asked_, {}); }

    /// Returns an address for `bytes` that it has not returned before; 0 beyond the limit.
    [[nodiscard]] std::uintptr_t take(std::size_t bytes, DeviceAddresses& addresses);
    /// So many are free again.
    void give_back(std::size_t bytes) { used_ -= bytes; }
    [[nodiscard]] const std::vector<Region>& chunks() const { return chunks_; }

  private:
    std::vector<Region> chunks_; ///< all but the last are full
    std::uintptr_t next_ = 0;
    std::size_t used_ = 0;
    std::atomic<std::size_t> limit_ = std::size_t{8} << 20; ///< CUDA's default
    std::pair<std::uint64_t, std::uint64_t> asked_;
};

struct Block
{
    Allocation allocation;
    std::unique_ptr<GlobalRegion> region;
    std::size_t reserved = 0; ///< bytes of the arena; 0 for memory that the program owns
    bool of_heap = false;     ///< of a kernel's malloc()
    bool kept = false;        ///< freed, but what was deferred still needs it
    int users = 0;            ///< DeviceMemoryAccess objects alive that name it

    /// True of memory that has pages of its own: the heap's are those of its chunks.
    [[nodiscard]] bool has_pages() const { return (!allocation.freed || kept) && !of_heap; }
    /// The same of a device's.
    [[nodiscard]] bool opens() const
    {
        return allocation.kind == cudaMemoryTypeDevice && has_pages();
    }
    /// Gives the pages back; their addresses stay reserved.
    void discard();
};

/// All allocations, live and freed: the addresses of freed ones are never handed out again. Any
/// thread.
class Arena
{
  public:
    /// Reserves `bytes` of a device with guard pages around them; device memory is filled with the
    /// poison pattern. Null when its memory is exhausted. `call` and `pitch` as Allocation has
    /// them.
    void* allocate(std::size_t bytes, cudaMemoryType kind, int device, const void* call,
                   std::size_t pitch = 0);
    /// Memory of the current device for a kernel's malloc() and new; null when the heap is
    /// exhausted. It is device memory that release() does not free. On a GPU cudaMemcpy() does not
    /// reach it, either; here it does. What is not inside one is told by the map, not by the pages.
    void* allocate_on_heap(std::size_t bytes);
    /// False when `address` is not the start of a live allocation of the heap.
    bool release_on_heap(void* address);
    [[nodiscard]] KernelHeap& heap() { return heap_; }
    /// False when `address` is not the start of a live allocation. The pages stay reserved, so that
    /// a later use is reported as a use after free.
    bool release(void* address, const void* call);
    /// The same for all memory of a device but that of its heap.
    void release_all(int device);
    /// Memory that was released while something was deferred that may use it (core/repetition.hpp).
    void discard_kept();
    /// `bytes` from `to` on come from the host: Allocation::copied.
    void note_copied(const void* to, std::size_t bytes, const void* call);
    /// Adds memory that the program owns (cudaHostRegister).
    bool adopt(void* address, std::size_t bytes);
    bool disown(void* address);
    /// Bytes of a device that are not allocated.
    [[nodiscard]] std::size_t left(int device) const;

    /// What begins at `address` or is the closest below it, and what is the closest above it.
    using Neighbours = std::pair<std::optional<Allocation>, std::optional<Allocation>>;
    [[nodiscard]] Neighbours neighbours(std::uintptr_t address);
    /// The live allocation (or registered host memory) that holds `address`, ready to be touched.
    /// Null if there is none.
    GlobalRegion* find_region(std::uintptr_t address);
    /// The allocations touched since the last call.
    std::vector<Touched> take_touched();
    /// All live memory of one kind; of devices, the heap's chunks instead of its allocations.
    [[nodiscard]] std::vector<Region> live(cudaMemoryType kind);
    [[nodiscard]] const Region& range() const { return addresses_.range(); }
    /// True in the range that allocations come from.
    [[nodiscard]] bool contains(std::uintptr_t address) const { return range().contains(address); }

    /// A DeviceMemoryAccess begins, or ends: what it names is in the host's reach while it has
    /// users.
    void change_users(const std::optional<DeviceMemoryAccess::Addresses>& named, bool more);
    /// How often an allocation was put in the host's reach so far: what a call opens and closes
    /// takes longer the more pages it has.
    [[nodiscard]] std::uint64_t openings() const { return openings_; }

  private:
    Block& insert(std::uintptr_t begin, std::size_t bytes, cudaMemoryType kind, int device);
    /// What begins at `address`; null if nothing does.
    Block* at(const void* address);
    /// The same, or the closest one below.
    Block* nearest(std::uintptr_t address);
    bool release(Block& block);
    void change_users(bool more);
    void set_open(std::uintptr_t begin, std::size_t bytes, bool open);

    std::mutex mutex_;
    DeviceAddresses addresses_;
    KernelHeap heap_;
    std::map<std::uintptr_t, Block> blocks_;                      ///< by address
    std::vector<std::unique_ptr<GlobalRegion>> freed_by_kernels_; ///< until take_touched()
    std::array<std::atomic<std::size_t>, max_devices> used_{};    ///< by device
    std::uint64_t serial_ = 0;
    std::atomic<std::size_t> kept_bytes_ = 0; ///< of freed blocks
    int users_ = 0; ///< DeviceMemoryAccess objects alive that name nothing
    std::atomic<std::uint64_t> openings_ = 0;
};

[[nodiscard]] Arena& arena();

} // namespace cpu_device
