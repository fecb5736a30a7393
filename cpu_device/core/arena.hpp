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
#include <string>
#include <vector>

namespace cpu_device {

struct Block
{
    Allocation allocation;
    std::unique_ptr<GlobalRegion> region;
    std::size_t reserved = 0; ///< bytes of the arena; 0 for memory that the program owns
    bool of_heap = false;     ///< of a kernel's malloc()
    bool kept = false;        ///< freed, but what was deferred still needs it
    int users = 0;            ///< DeviceMemoryAccess objects alive that name it

    [[nodiscard]] bool has_pages() const { return !allocation.freed || kept; }
    /// True of memory of a device that has pages of its own.
    [[nodiscard]] bool opens() const
    {
        return allocation.kind == cudaMemoryTypeDevice && has_pages() && !of_heap;
    }
};

/// All allocations, live and freed, in one reserved range of addresses: freed ones are never handed
/// out again.
class Arena
{
  public:
    Arena();

    /// Reserves `bytes` of a device with guard pages around them; device memory is filled with the
    /// poison pattern. Null when its memory is exhausted. `call` as Allocation::call.
    void* allocate(std::size_t bytes, cudaMemoryType kind, int device, std::uintptr_t call);
    /// Memory of the current device for a kernel's malloc() and new, from a heap of heap_limit()
    /// bytes; null when it is exhausted. It is device memory that release() does not free. On a GPU
    /// cudaMemcpy() does not reach it, either; here it does. Allocations of the heap lie close
    /// together: what is not inside one is told by the map, not by the pages.
    void* allocate_on_heap(std::size_t bytes);
    /// False when `address` is not the start of a live allocation of the heap.
    bool release_on_heap(void* address);
    /// Calls of it since the last time that somebody asked.
    std::uint64_t take_heap_calls() { return heap_calls_.exchange(0); }
    void set_heap_limit(std::size_t bytes) { heap_limit_ = bytes; }
    [[nodiscard]] std::size_t heap_limit() const { return heap_limit_; }
    /// False when `address` is not the start of a live allocation. The pages stay reserved, so that
    /// a later use is reported as a use after free.
    bool release(void* address, std::uintptr_t call);
    /// The same for all memory of a device but that of its heap.
    void release_all(int device);
    /// Memory that was released while something was deferred that may use it (core/repetition.hpp).
    void discard_kept();
    [[nodiscard]] std::size_t kept_bytes() const { return kept_bytes_; }
    /// Of memory that cudaMalloc() has given for the call behind which `call` is.
    void note_pitch(const cudaPitchedPtr& memory, const void* call);
    /// `bytes` from `to` on come from the host: Allocation::copied.
    void note_copied(const void* to, std::size_t bytes, const void* call);
    /// Adds memory that the program owns (cudaHostRegister).
    bool adopt(void* address, std::size_t bytes);
    bool disown(void* address);
    std::optional<Allocation> find(std::uintptr_t address);
    /// The live allocation (or registered host memory) that holds `address`, ready to be touched.
    /// Null if there is none.
    GlobalRegion* find_region(std::uintptr_t address);
    /// The allocations touched since the last call.
    std::vector<Touched> take_touched();
    std::optional<std::vector<Region>> out_of_reach();
    std::vector<Region> managed();
    /// The host begins to use the memory of the devices, or has ended that: it is in reach while
    /// it has users.
    void change_users(bool more);
    /// The same of the allocation at `address`, if it has not been freed; of none, nothing.
    void change_users(const void* address, bool more);
    /// How often an allocation was put in the host's reach so far: what a call opens and closes
    /// takes longer the more pages it has.
    [[nodiscard]] std::uint64_t openings() const { return openings_; }
    std::size_t used(int device) { return used_by(device); }
    /// True in the range that allocations come from.
    [[nodiscard]] bool contains(std::uintptr_t address) const { return address - begin_ < size_; }
    /// Where [address, address + bytes) lies, for a report: "4 bytes past the end of allocation 2
    /// (4096 bytes)"; with `meant`, relative to that one.
    std::string describe(std::uintptr_t address, std::size_t bytes,
                         const Allocation* meant = nullptr);

  private:
    void insert(std::uintptr_t begin, std::size_t bytes, cudaMemoryType kind, std::size_t reserved,
                int device);
    bool release(Block& block);
    void discard(Block& block);
    std::atomic<std::size_t>& used_by(int device)
    {
        return used_[static_cast<std::size_t>(device)];
    }

    void set_open(void* begin, std::size_t bytes, bool open);
    /// True in the heap of kernels, all of which is opened at a time.
    bool of_heap(const void* address);
    /// What begins at `address` or is the closest one below; null if nothing does.
    Block* nearest(std::uintptr_t address);
    /// Where pages are opened for `pointer` alone: those of live memory of a device.
    Block* block_of(const void* pointer);
    /// Calls change(begin, bytes) for the pages of all live memory of the devices, but for that
    /// which is open by its name.
    template<class Change>
    void for_each_of_device(Change change)
    {
        for (auto& [address, block] : blocks_)
            if (block.opens() && block.users == 0)
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
    std::array<std::atomic<std::size_t>, max_devices> used_{}; ///< by device
    std::uint64_t serial_ = 0;
    std::vector<Region> heap_chunks_;
    std::uintptr_t heap_next_ = 0;
    std::uintptr_t heap_end_ = 0;
    std::size_t heap_used_ = 0;
    std::atomic<std::size_t> kept_bytes_ = 0;                    ///< of freed blocks
    std::atomic<std::size_t> heap_limit_ = std::size_t{8} << 20; ///< CUDA's default
    int users_ = 0; ///< DeviceMemoryAccess objects alive that name nothing
    std::atomic<std::uint64_t> openings_ = 0;
    std::atomic<std::uint64_t> heap_calls_ = 0;
};

[[nodiscard]] Arena& arena();

} // namespace cpu_device
