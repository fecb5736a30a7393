/// \file
/// Memory that the runtime hands out, and device memory as the tracer sees it: which addresses a
/// kernel may use, and which 32-byte sectors of them it touched.
#pragma once

#include "core/devices.hpp"
#include "cpu_device/detail/runtime_types.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cpu_device {

/// How an address counts.
enum class AddressSpace : std::uint8_t
{
    uncounted, ///< stacks, kernel parameters, built-in variables, data of libraries
    constant,  ///< `__constant__` variables
    local,     ///< an array that a thread indexes at run time
    shared,
    global
};

/// A range of addresses that all count alike.
struct Region
{
    std::uintptr_t begin = 0;
    std::size_t bytes = 0;
    AddressSpace space = AddressSpace::uncounted;

    [[nodiscard]] bool contains(std::uintptr_t address) const { return address - begin < bytes; }
    /// True if all of [address, address + size) lies inside.
    [[nodiscard]] bool contains(std::uintptr_t address, std::size_t size) const
    {
        const std::uintptr_t offset = address - begin;
        return offset < bytes && size <= bytes - offset;
    }
};

struct Allocation : Region
{
    /// cudaMemoryTypeHost is host memory that kernels may use; a host thread may not touch the
    /// device's.
    cudaMemoryType kind = cudaMemoryTypeDevice;
    std::uint64_t serial = 0; ///< "allocation 3", counted from 1
    bool freed = false;
    int device = 0;          ///< whose memory it is; of host memory, the one that was current
    std::uintptr_t call = 0; ///< behind the call that allocated or freed it; 0 if unknown
    std::size_t pitch = 0;   ///< bytes from row to row, of cudaMallocPitch(); else 0
    /// Bytes that the last cudaMemcpy() to its start filled, and what is behind that call.
    std::pair<std::size_t, std::uintptr_t> copied = {};
};

/// The live or freed allocation that holds `address` (or, if none, the closest one below).
[[nodiscard]] std::optional<Allocation> nearest_allocation(const void* address);
/// The live allocation that holds `address`.
[[nodiscard]] std::optional<Allocation> find_allocation(const void* address);
[[nodiscard]] std::size_t device_memory_total();

/// While one lives, the host may touch device memory (cudaMemcpy, cudaMemset). At other times
/// device memory is out of the host's reach, as on a GPU, and a host thread that dereferences a
/// device pointer is stopped with a sentence. Kernels need none. May be nested, on any thread.
/// Unless `may_write` is false, memory counts as changed (core/repetition.hpp).
class DeviceMemoryAccess
{
  public:
    using Addresses = std::pair<const void*, const void*>;

    /// With `named`, of the allocations alone that hold these, where they are a device's.
    explicit DeviceMemoryAccess(bool may_write = true, std::optional<Addresses> named = {});
    ~DeviceMemoryAccess();
    DeviceMemoryAccess& operator=(DeviceMemoryAccess&&) = delete;

  private:
    bool may_write_;
    std::optional<Addresses> named_; ///< nothing: all memory
};

/// Sectors of a region: how many, and the addresses from the first of them to behind the last.
struct SectorSpan
{
    std::uint64_t sectors = 0;
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
};

/// A region of global memory with one bit per sector: touched by the running launch or not.
class GlobalRegion : public Region
{
  public:
    /// Nobody's memory: what all devices may use in the same way.
    static constexpr int no_device = -1;

    explicit GlobalRegion(std::uintptr_t begin, std::size_t bytes, int owner = no_device);

    /// The device whose memory it is, or no_device.
    [[nodiscard]] int owner() const { return owner_; }
    /// True if kernels of `device` may use it.
    [[nodiscard]] bool open_to(int device) const
    {
        return owner_ == no_device || has_access(device, owner_);
    }

    /// Notes that sectors `first` to `last`, numbered as address / 32, were touched. Any thread.
    void touch(std::uintptr_t first, std::uintptr_t last);
    /// Notes that some of it was written. Any thread.
    void note_written()
    {
        if (!written_.load(std::memory_order_relaxed))
            written_.store(true, std::memory_order_relaxed);
    }
    /// What was touched since the last call.
    SectorSpan take_touched();
    /// Whether something was written since the last call.
    [[nodiscard]] bool take_written() { return written_.exchange(false); }
    /// Makes the bit map; under the lock of whoever hands the region out.
    void prepare();

  private:
    std::unique_ptr<std::atomic<std::uint64_t>[]> touched_; ///< made at the first touch
    std::size_t words_;
    std::atomic<bool> any_ = false;
    std::atomic<bool> written_ = false;
    int owner_;
};

/// What kernels touched of one allocation.
struct Touched
{
    Allocation allocation;
    SectorSpan span;
    bool written = false; ///< not only read
};

/// The live allocations of all devices, of their heaps too; nothing where there is memory that the
/// host writes while kernels may read it: managed memory, and the host's own that kernels may use.
[[nodiscard]] std::optional<std::vector<Region>> memory_out_of_reach();

/// A null pointer with an index added is still called a null pointer.
constexpr std::uintptr_t null_bytes = 64 * 1024;

/// Where [address, address + bytes) lies, for a report: "4 bytes past the end of allocation 2
/// (4096 bytes)"; with `meant`, relative to that one.
[[nodiscard]] std::string describe_address(std::uintptr_t address, std::size_t bytes = 1,
                                           const Allocation* meant = nullptr);
/// What of the live memory lies at an address: "byte 128 of allocation 2".
[[nodiscard]] std::string place_of_global(std::uintptr_t address);
/// The same for one end: "just past the end of ", "4 bytes past the end of ", or, for an access
/// that starts before `end`, "reaching 4 bytes past the end of ".
[[nodiscard]] std::string describe_distance_past(std::uintptr_t end, std::uintptr_t address,
                                                 std::size_t bytes);
/// "1 byte", "4 bytes".
[[nodiscard]] std::string count(std::size_t number, std::string_view noun);

// Memory that queued work uses on a GPU until the host waits for it. Here that work is done when it
// is queued, so a host that does not wait sees right results; it is therefore watched by the pages,
// where Settings::watchful requests it, and told of in a report.

/// Queued work uses `bytes` from `begin` on, which lie in managed or page-locked memory of the
/// runtime's: the host may read them, unless the work writes, but not write them. `what` is the
/// work, "kernel add (launched at mine.cu:12)"; empty: the call of the runtime that runs now.
void note_unfinished(std::uintptr_t begin, std::size_t bytes, bool writes, std::string what = {});
/// A kernel prints: a GPU shows that when the host waits.
void note_unfinished_print();
/// The host waits for the work.
void forget_unfinished();

/// While one lives, the runtime uses such memory itself. Any thread, nested or not.
class UnfinishedIsOpen
{
  public:
    UnfinishedIsOpen();
    ~UnfinishedIsOpen();
    UnfinishedIsOpen& operator=(UnfinishedIsOpen&&) = delete;
};

/// The instruction at `pc` of the host's code is about to use an address that it may not. True if
/// that was because of unfinished work: it can go on.
[[nodiscard]] bool is_unfinished(std::uintptr_t address, std::uintptr_t pc);

} // namespace cpu_device
