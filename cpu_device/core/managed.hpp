/// \file
/// What the runtime was told about managed memory, page by page, and which side a page would be on
/// if there were two: the CPU device has one memory, and moves nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <mutex>

namespace cpu_device {

/// Advice and place of one page, or of many that agree.
struct PageState
{
    /// Nobody's device, as cudaInvalidDeviceId.
    static constexpr int nowhere = -2;

    bool on_host = false;   ///< a copy is in host memory
    bool on_device = false; ///< a copy is in device memory; both only if read-mostly
    bool used = false;      ///< as far as is known, somebody has used it
    bool read_mostly = false;
    bool accessed_by_device = false; ///< mapped for the device wherever it is
    int preferred = nowhere;         ///< the device that it should stay on; -1 is the host
};

/// What a kernel or the host does with a range of managed memory.
struct PageTraffic
{
    std::uint64_t migrated = 0; ///< bytes of pages that come over, by faults
    std::uint64_t linked = 0;   ///< bytes that are used across the link, where they are
};

/// The pages of all managed memory. Any thread.
///
/// A page that nobody has touched is nowhere: who touches it first gets it without a move. After
/// that it is on one side, comes over when the other touches it, and leaves the first one, with two
/// exceptions: a read-mostly page is copied, and the copies stay until somebody writes; a page that
/// is mapped for the device and prefers the host stays there, and the device uses it from afar.
class ManagedPages
{
  public:
    static constexpr std::size_t page_bytes = 4096; ///< of advice and of migration

    /// Calls `change(PageState&)` for all pages of a range.
    template<class Change>
    void change(const void* address, std::size_t bytes, Change change)
    {
        const std::lock_guard lock(mutex_);
        for_each(address, bytes, [&](PageState& state, std::uint64_t) { change(state); });
    }

    PageTraffic touch_by_device(const void* address, std::size_t bytes);
    /// These pages have been used; who has not been seen doing so is the host.
    void find_used(const void* address, std::size_t bytes);
    /// The host uses a range; `writes` ends the device's copies of read-mostly pages.
    PageTraffic touch_by_host(const void* address, std::size_t bytes, bool writes);
    /// Moves a range to a device, or to the host (-1), or copies what is read-mostly; returns the
    /// bytes that were not there. All devices are one place.
    std::uint64_t prefetch(const void* address, std::size_t bytes, int device);

  private:
    template<class Visit>
    void for_each(const void* address, std::size_t bytes, Visit visit);
    /// The first page from `address` on that begins a run of equal pages.
    std::map<std::uintptr_t, PageState>::iterator split(std::uintptr_t address);

    std::mutex mutex_;
    /// From each address to the next, pages agree.
    std::map<std::uintptr_t, PageState> runs_{{0, {}}};
};

template<class Visit>
void ManagedPages::for_each(const void* address, std::size_t bytes, Visit visit)
{
    if (bytes == 0)
        return;
    const auto start = reinterpret_cast<std::uintptr_t>(address);
    const auto first = split(start / page_bytes * page_bytes);
    const auto last = split((start + bytes + page_bytes - 1) / page_bytes * page_bytes);
    for (auto run = first; run != last; ++run)
        visit(run->second, std::next(run)->first - run->first);
}

} // namespace cpu_device
