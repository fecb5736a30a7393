/// \file
/// Turns the accesses of single threads into the requests of warps, and counts them.
///
/// The compiler calls the tracer before each access of a kernel (host/accesses.cpp). The lanes of
/// a warp run one after the other, so their accesses are put together again: the k-th time that a
/// lane executes an instruction (its *site*, told by the return address of the compiler's call)
/// belongs to the same request as the k-th time of the other lanes. Where all lanes of a warp meet,
/// at a barrier or a warp-wide exchange, requests are counted and forgotten and k starts again.
///
/// A lane may make any number of accesses in between. After `yield_after` of them it lets the other
/// lanes of its warp catch up; then the requests that all of them have passed are counted and
/// forgotten, so that a loop of millions of accesses needs no more memory than one of a few
/// hundred.
#pragma once

#include "core/devices.hpp"
#include "core/kernel_memory.hpp"
#include "core/kernels.hpp"
#include "core/races.hpp"
#include "core/request_log.hpp"
#include "cpu_device/trace.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace cpu_device {

/// Who touches which sectors of some pages, drawn at random: enough to tell what a cache that all
/// blocks share finds again. Of one thread of the host; it begins with all pages and keeps half of
/// them whenever there are too many touches.
class TouchSample
{
  public:
    /// Sets the sampling weight of the touches that follow: blocks that theirs stands for.
    void set_weight(std::uint64_t blocks)
    {
        constexpr std::uint64_t most_blocks = std::numeric_limits<std::uint16_t>::max();
        weight_ = static_cast<std::uint16_t>(std::min(blocks, most_blocks));
    }
    /// Notes it if its first sector is in a page that is kept.
    void note(const SampledTouch& touch)
    {
        if ((page_number(touch.first) & mask_) != 0) [[likely]]
            return;
        touches_.push_back(touch);
        touches_.back().weight = weight_;
        if (touches_.size() == most)
            keep(2 * mask_ + 1);
    }
    /// Adds those of another thread: of pages that both keep.
    void take(const TouchSample& other)
    {
        const std::uintptr_t mask = std::max(mask_, other.mask_);
        touches_.insert(touches_.end(), other.touches_.begin(), other.touches_.end());
        keep(mask);
    }
    /// Ends with no more than a launch needs. Which ones does not depend on how threads of the
    /// host have shared the blocks: each has kept more.
    void reduce()
    {
        while (touches_.size() > enough)
            keep(2 * mask_ + 1);
    }
    /// One page in so many is kept.
    [[nodiscard]] unsigned one_in() const { return static_cast<unsigned>(mask_ + 1); }
    [[nodiscard]] std::vector<SampledTouch>& touches() { return touches_; }

  private:
    static constexpr std::size_t most = std::size_t{1} << 19;   ///< of a thread
    static constexpr std::size_t enough = std::size_t{1} << 17; ///< of a launch

    /// At random, so that no stride of a kernel meets kept pages alone.
    [[nodiscard]] static std::uintptr_t page_number(std::uintptr_t sector)
    {
        constexpr std::uintptr_t page_sectors = 32;           // most requests are no longer
        constexpr std::uint64_t scatter = 0x9e3779b97f4a7c15; // 2^64 by the golden ratio
        return static_cast<std::uintptr_t>(sector / page_sectors * scatter >> 32U);
    }
    void keep(std::uintptr_t mask)
    {
        mask_ = mask;
        std::erase_if(touches_, [this](const SampledTouch& touch) {
            return (page_number(touch.first) & mask_) != 0;
        });
    }

    std::vector<SampledTouch> touches_;
    std::uintptr_t mask_ = 0; ///< bits of page_number() that are 0 in pages that are kept
    std::uint16_t weight_ = 1;
};

/// The counts of the blocks that one thread of the host runs.
class RequestCounter
{
  public:
    /// Begins a launch on that device. `sample`: of what is touched; null for none.
    void begin_launch(int device, TouchSample* sample);
    void count_constant(const Request& request);
    /// Returns the request's conflicts.
    unsigned count_shared(const Request& request, Access access);
    /// Of a site whose global memory is known. `round`: SampledTouch::round.
    void count_global(const Request& request, const Site& site, std::uint64_t block,
                      unsigned round);

    /// Counts since begin_launch(), without distinct sectors, divergent warps, local memory and
    /// the link.
    [[nodiscard]] const Counts& counts() const { return counts_; }
    /// Sectors of memory that is no device's, since begin_launch().
    [[nodiscard]] const PeerSectors& host_sectors() const { return host_sectors_; }
    /// What crossed the link to other devices since begin_launch().
    [[nodiscard]] const PeerTraffic& peer_traffic() const { return peer_traffic_; }

  private:
    int device_ = 0;
    TouchSample* sample_ = nullptr;
    Counts counts_;
    PeerSectors host_sectors_;
    PeerTraffic peer_traffic_{};
};

/// How far a warp has come with its requests of global memory.
struct RequestsBegun
{
    unsigned all = 0;
    unsigned round = 0; ///< SampledTouch::round
};

/// The calling lane lets the others of its warp go on, after an access to `address` at `pc`.
void yield_lane(std::uintptr_t pc, std::uintptr_t address);

/// The tracer of the blocks that one thread of the host runs, one after the other.
class Tracer
{
  public:
    /// Accesses after which a lane lets the others catch up: few enough for their requests to stay
    /// in the cache, enough for the two fiber switches not to matter.
    static constexpr unsigned yield_after = 128;

    Tracer();

    /// `sample`: of what is touched; null for none.
    void begin_launch(const BlockMemory& memory, TouchSample* sample);
    /// From now on, lanes run in step, or no longer: all of a warp load before any stores, and all
    /// store before any loads again. `races` is told of each request; null for none.
    void keep_in_step(bool in_step, BlockRaces* races);
    /// `races` is told what the block shares with others; null for none.
    void compare_blocks(BlockRaces* races) { compared_ = races; }
    /// The following requests are those of a warp of that block that has come so far.
    void begin_warp(std::uint64_t block, const RequestsBegun& begun, const TracedWarp& warp);
    /// The following accesses are those of this thread of the block.
    void begin_lane(unsigned thread)
    {
        thread_ = thread;
        lane_ = thread % warp_lanes;
        left_ = yield_after;
    }
    /// It yields at its next access already.
    void yield_at_next() { left_ = 1; }
    /// The thread begins: it has no arrays yet.
    void begin_thread() { memory_.arrays().begin_thread(thread_); }
    /// The thread has an array there.
    void note_local_array(std::uintptr_t declaration, std::uintptr_t begin, std::size_t bytes,
                          bool surely);
    /// Notes a step of the lane that requests nothing.
    void note_step(std::uintptr_t pc, Step step, std::size_t pending = 0);
    /// The calling lane has met others by a call that says so.
    void note_meeting() { since_[thread_] = 0; }
    /// The next access is volatile.
    void note_volatile() { volatile_ = true; }

    /// Checks and notes one access of 1, 2, 4, 8 or 16 bytes, and lets the lane yield when it is
    /// time for that. Ends the process on a bad address.
    void record(std::uintptr_t pc, std::uintptr_t address, unsigned bytes, Access access)
    {
        // Runs at every access of every thread: what is rare is left to others, as the last call.
        const std::uintptr_t key = Site::key_of(pc, bytes, access) | hidden_;
        const SiteTable::Slot& slot = sites_.slot(key);
        if (slot.key == key) [[likely]] {
            Site& site = *slot.site;
            if (address - site.place.region.begin <= site.reach && (address & (bytes - 1)) == 0)
                [[likely]] {
                if (site.space() == AddressSpace::uncounted)
                    return;
                const unsigned visit = site.visits[lane_];
                if (visit < site.open) [[likely]] {
                    site.visits[lane_] = visit + 1;
                    site.requests[visit][lane_] = address + site.place.shift;
                    if (--left_ == 0) [[unlikely]]
                        yield_lane(pc, address);
                    return;
                }
            }
        }
        record_slowly(pc, address, bytes, access);
    }

    /// Notes an access of any size. One of unknown alignment moves in units of 4 bytes where it
    /// can: the alignment of most structures, and what a GPU's compiler makes of them.
    void record_range(std::uintptr_t pc, std::uintptr_t address, std::size_t bytes, Access access);

    /// Counts what all lanes in `live`, those that can still go on, have passed; without any, as
    /// all have met or returned, everything noted. `threads` are the lanes that the warp has. True
    /// if some request was made by fewer.
    [[nodiscard]] bool fold(unsigned threads, unsigned live = 0);

    /// How far the warp has come now.
    [[nodiscard]] const RequestsBegun& requests_begun() const { return begun_; }
    [[nodiscard]] KernelMemory& memory() { return memory_; }
    [[nodiscard]] const RequestCounter& counter() const { return counter_; }

  private:
    static constexpr std::uintptr_t in_no_key = ~(UINTPTR_MAX >> 1);

    /// Lets the other lanes come as far as the calling one, if it loads after a store or stores
    /// after a load.
    void wait_in_step(std::uintptr_t pc, std::uintptr_t address, Access access);
    /// For the first lane that makes a request, what has not been seen before, and all accesses of
    /// lanes that run in step.
    void record_slowly(std::uintptr_t pc, std::uintptr_t address, unsigned bytes, Access access);
    /// The site of the kind of memory that `address` is in. Ends the process if it is in none.
    Site& locate(Site& site, std::uintptr_t address);
    /// Begins a request of the site, of which the calling lane is the first.
    void open_request(Site& site);
    /// Counts the requests of a site that all lanes have passed. True if some were made by fewer
    /// than `threads`.
    bool fold(const Site& site, unsigned threads);
    void count(const Site& site, const Request& request, unsigned round);

    unsigned thread_ = 0;
    unsigned lane_ = 0;
    unsigned left_ = yield_after;
    std::uintptr_t hidden_ = 0; ///< in_no_key where record() is to find nothing
    bool in_step_ = false;
    bool volatile_ = false; ///< the next access, while lanes run in step
    bool in_range_ = false; ///< of record_range(), where padding of a structure may be
    SiteTable sites_;
    std::vector<Site*> active_;        ///< sites with open requests
    std::vector<unsigned char> since_; ///< by thread: 1 loaded, 2 stored since it last waited
    KernelMemory memory_;
    RequestCounter counter_;
    BlockRaces* races_ = nullptr;    ///< keep_in_step()
    BlockRaces* compared_ = nullptr; ///< compare_blocks()
    WarpTrace trace_;
    std::uint64_t block_ = 0;
    RequestsBegun begun_;
    std::uint64_t turn_ = 0; ///< how often a warp has begun to run
};

} // namespace cpu_device
