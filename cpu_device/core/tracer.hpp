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

#include "core/coalescer.hpp"
#include "core/devices.hpp"
#include "core/kernels.hpp"
#include "core/memory.hpp"
#include "core/races.hpp"
#include "core/request_log.hpp"
#include "core/stacks.hpp"
#include "core/touch_sample.hpp"
#include "cpu_device/detail/engine.hpp"

#include <array>
#include <bit>
#include <deque>
#include <string>
#include <utility>
#include <vector>

namespace cpu_device {

/// The memory of one block besides global memory.
struct BlockMemory
{
    const char* kernel = ""; ///< whose `__shared__` variables a bad address is likely meant for
    int device = 0;          ///< that runs the kernel
    Region stacks;           ///< local memory of its threads
    Region static_shared;    ///< all thread-local variables; the `__shared__` ones are among them
    Region dynamic_shared;   ///< as many bytes as the launch requested
    Region dynamic_reserved; ///< where an address is still meant to be dynamic shared memory
    Region exchange;         ///< values that lanes gave to each other
};

/// What threads moved to and from one array of theirs.
///
/// A compiler for GPUs keeps an array in registers if it knows every index, after it has unrolled
/// the loops. One index that it does not know puts the array into local memory. The rewriter tells
/// of arrays with an index that no compiler can know. Of others that is not seen; that lanes use
/// different indexes in one request is seen, and then no compiler can have known. So such an array
/// counts only where that happened at some time in the launch.
struct LocalArrayTraffic
{
    std::uintptr_t declaration = 0; ///< return address of the call of local_memory() behind it
    bool in_memory = false;         ///< an index cannot be known, or lanes used different ones
    Counts counts;                  ///< of local memory alone
};

/// Adds the counts of the same declarations, as other threads of the host have them.
void add_local_arrays(std::vector<LocalArrayTraffic>& all,
                      const std::vector<LocalArrayTraffic>& some);
/// The counts of those arrays that are in local memory.
[[nodiscard]] Counts count_local_arrays(const std::vector<LocalArrayTraffic>& arrays);
/// LaunchRecord::local_array.
[[nodiscard]] std::uint32_t busiest_local_array(const std::vector<LocalArrayTraffic>& arrays);

/// Bits of the offset in a thread's array, which is in its stack.
inline constexpr unsigned array_offset_bits = std::countr_zero(StackPool::stack_bytes);

void fill_with_poison(const Region& region);

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
    /// Bits of a site's key below the address of its instruction.
    static constexpr unsigned site_bits = 7;

    Tracer();

    void begin_launch(const BlockMemory& memory);
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
    void begin_thread() { arrays_[thread_].clear(); }
    /// The thread has an array there.
    void note_local_array(std::uintptr_t declaration, std::uintptr_t begin, std::size_t bytes,
                          bool surely);
    /// Notes a step of the lane that requests nothing.
    void note_step(std::uintptr_t pc, Step step, std::size_t pending = 0);

    /// Checks and notes one access of 1, 2, 4, 8 or 16 bytes, and lets the lane yield when it is
    /// time for that. Ends the process on a bad address.
    void record(std::uintptr_t pc, std::uintptr_t address, unsigned bytes, Access access)
    {
        // Runs at every access of every thread: what is rare is left to others, as the last call.
        const std::uintptr_t key = key_of(pc, bytes, access);
        const Slot& slot = fast_[hash(key)];
        if (slot.key == key) [[likely]] {
            Site& site = *slot.site;
            if (address - site.region.begin <= site.reach && (address & (bytes - 1)) == 0)
                [[likely]] {
                if (site.region.space == AddressSpace::uncounted)
                    return;
                const unsigned visit = site.visits[lane_];
                if (visit < site.open) [[likely]] {
                    site.visits[lane_] = visit + 1;
                    site.requests[visit][lane_] = address + site.shift;
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

    /// Writes the requests of the warp down too, from now on; null for those of others.
    void log_requests(RequestLog* log) { log_ = log; }

    /// Notes the requests in order, from now on, as those of that warp of the block; null for none.
    /// Of `sectors` of a block each warp has its share: if it loops for long, its first rounds.
    void trace_requests(BlockTrace* trace, std::size_t warp, std::size_t sectors)
    {
        trace_ = trace;
        traced_warp_ = warp;
        traced_sectors_ = sectors;
    }

    /// From now on, lanes run in step, or no longer: all of a warp load before any stores, and all
    /// store before any loads again. `races` is told of each request; null for none.
    void keep_in_step(bool in_step, BlockRaces* races);
    /// `races` is told what the block shares with others; null for none.
    void compare_blocks(BlockRaces* races) { compared_ = races; }
    /// The calling lane has met others by a call that says so.
    void note_meeting() { since_[thread_] = 0; }
    /// What lies at an address that a kernel has used: "__shared__ sums, byte 128".
    [[nodiscard]] std::string place_of(std::uintptr_t address) const;
    /// The next access is volatile.
    void note_volatile() { volatile_ = true; }
    /// Samples what is touched, from now on; null for nothing.
    void sample_touches(TouchSample* sample) { sample_ = sample; }
    /// The following requests are those of a warp of that block that has come so far.
    void begin_requests(std::uint64_t block, const RequestsBegun& begun)
    {
        block_ = block;
        begun_ = begun;
        begun_.round += begun.all > 0; // behind a barrier
        ++turn_;
    }
    /// How far it has come now.
    [[nodiscard]] const RequestsBegun& requests_begun() const { return begun_; }

    /// All lanes of the warp have met, or returned: counts everything noted. `threads` are the
    /// lanes that the warp has. True if some request was made by fewer.
    [[nodiscard]] bool fold_all(unsigned threads);
    /// Counts what all lanes in `live`, those that can still go on, have passed.
    [[nodiscard]] bool fold_passed(unsigned threads, unsigned live);

    /// Overwrites what the block wrote to its `__shared__` variables, before the next one starts;
    /// with `all`, those of the kernel, where no call has told of what blocks wrote.
    void poison_static_shared(bool all = false);

    /// The arrays of all threads since begin_launch().
    [[nodiscard]] const std::vector<LocalArrayTraffic>& local_arrays() const { return declared_; }
    /// Counts since begin_launch(), without distinct sectors, divergent warps, local memory and
    /// the link.
    [[nodiscard]] const Counts& counts() const { return counts_; }
    /// Sectors of memory that is no device's, since begin_launch().
    [[nodiscard]] const PeerSectors& host_sectors() const { return host_sectors_; }
    /// What crossed the link to other devices since begin_launch().
    [[nodiscard]] const PeerTraffic& peer_traffic() const { return peer_traffic_; }

  private:
    /// One instruction that accesses one kind of memory.
    struct Site
    {
        std::uintptr_t key = 0;
        /// Where it last was; most stay in one allocation. At first in reach of no address.
        Region region{.begin = UINTPTR_MAX};
        std::uintptr_t reach = 0;       ///< last offset in it at which an access fits
        GlobalRegion* global = nullptr; ///< the same, if global
        std::uintptr_t shift = 0;       ///< from an address to the one noted
        Access access = Access::load;
        unsigned bytes = 0;
        bool is_volatile = false;
        bool in_range = false;                     ///< part of record_range()
        unsigned open = 0;                         ///< requests noted
        unsigned passed = 0;                       ///< of them, that all lanes have made
        std::array<unsigned, warp_lanes> visits{}; ///< by lane; at most `open`
        std::vector<LaneAddresses> requests = {};  ///< at least `open`, by visit
        std::vector<unsigned> rounds = {};         ///< likewise: SampledTouch::round
        std::uint64_t turn = 0;                    ///< of a warp that ran, in which it was used,
        unsigned round = 0;                        ///< and the last round
        Site* other = nullptr; ///< the same instruction in another kind of memory
    };

    /// Where the site of an instruction is found without a search, as a rule.
    struct Slot
    {
        std::uintptr_t key = 0;
        Site* site = nullptr;
    };

    [[nodiscard]] std::size_t hash(std::uintptr_t key) const
    {
        return static_cast<std::size_t>(key * 0x9E3779B97F4A7C15u >> hash_shift_);
    }

    /// Lets the other lanes come as far as the calling one, if it loads after a store or stores
    /// after a load.
    void wait_in_step(std::uintptr_t pc, std::uintptr_t address, Access access);
    /// For the first lane that makes a request, what has not been seen before, and all accesses of
    /// lanes that run in step.
    void record_slowly(std::uintptr_t pc, std::uintptr_t address, unsigned bytes, Access access);
    [[nodiscard]] static std::uintptr_t key_of(std::uintptr_t pc, unsigned bytes, Access access)
    {
        return pc << site_bits | bytes << 2 | static_cast<unsigned>(access);
    }
    Site& search_site(std::uintptr_t key, unsigned bytes, Access access);
    void grow();
    Site& make_site(std::uintptr_t key, unsigned bytes, Access access);
    /// The site of the kind of memory that `address` is in. Ends the process if it is in none.
    Site& locate(Site& site, std::uintptr_t address);
    Region classify(std::uintptr_t address, const Site& site, GlobalRegion*& global);
    /// Ends the process with the line of the access behind `text`, and `more` behind that.
    [[noreturn]] void fault_at(const Site& site, std::string text,
                               const std::string& more = {}) const;
    /// Ends the process: the kernel's device may not use that memory.
    [[noreturn]] void refuse(const GlobalRegion& allocation, std::uintptr_t address,
                             const Site& site) const;
    /// Of an address on the stack: one of the thread's arrays, or what else is there.
    [[nodiscard]] Region classify_stack(std::uintptr_t address, const Site& site) const;
    /// What to add to an address in an array of the thread: the array's number, and the offset in
    /// it, are left. The same array may lie at different addresses in different threads.
    [[nodiscard]] std::uintptr_t shift_of(const Region& array) const;
    /// The `__shared__` variable at an address of memory_.static_shared.
    Region classify_static_shared(std::uintptr_t address, const Site& site);
    /// Ends the process if `address` is outside, but in reach, of the `__shared__` variable that it
    /// is meant to be in.
    void check_overrun(std::uintptr_t address, const Site& site) const;
    /// What a `__shared__` variable holds before anyone writes to it, from its first use on.
    void poison_first_use(const Region& variable);
    void open_request(Site& site);
    /// The lanes that have made this visit to a site.
    [[nodiscard]] static unsigned lanes_of(const Site& site, unsigned visit);
    /// As TracedStep::site.
    [[nodiscard]] static std::uint32_t number_of(const Site& site);
    /// Notes the requests that all lanes have passed in the trace, in the order of their first
    /// lanes.
    void trace_passed();
    /// Counts the requests of a site that all lanes have passed. True if some were made by fewer
    /// than `threads`.
    bool fold(Site& site, unsigned threads);
    void account(Site& site, const Request& request, unsigned round);
    void account_local(const Site& site, const Request& request);
    void note_shared_write(const Request& request);

    unsigned thread_ = 0;
    unsigned lane_ = 0;
    unsigned left_ = yield_after;
    std::vector<Slot> slots_;    ///< open addressing, at most half full
    std::vector<Slot> no_slots_; ///< as many, all empty
    const Slot* fast_ = nullptr; ///< where record() looks; in no_slots_ it finds nothing
    bool in_step_ = false;
    bool volatile_ = false;            ///< the next access, while lanes run in step
    std::vector<unsigned char> since_; ///< by thread: 1 loaded, 2 stored since it last waited
    BlockRaces* races_ = nullptr;
    BlockRaces* compared_ = nullptr; ///< compare_blocks()
    bool in_range_ = false;          ///< of record_range(), where padding of a structure may be
    unsigned hash_shift_ = 0;
    std::deque<Site> sites_;
    std::vector<Site*> active_; ///< sites with open requests
    std::size_t sites_used_ = 0;
    BlockMemory memory_;
    std::vector<LocalArrayTraffic> declared_; ///< by number
    struct ArrayOfThread
    {
        Region region;
        std::size_t number = 0; ///< in declared_
    };
    std::vector<std::vector<ArrayOfThread>> arrays_; ///< by thread of the block
    std::vector<Region> shared_writes_;
    std::vector<std::uintptr_t> shared_in_use_; ///< where the variables used so far begin
    Counts counts_;
    PeerSectors host_sectors_;
    PeerTraffic peer_traffic_{};
    RequestLog* log_ = nullptr;
    TouchSample* sample_ = nullptr;
    std::uint64_t block_ = 0;
    RequestsBegun begun_;
    std::uint64_t turn_ = 0; ///< how often a warp has begun to run
    BlockTrace* trace_ = nullptr;
    std::size_t traced_warp_ = 0;
    std::size_t traced_sectors_ = 0;
    std::vector<std::pair<Site*, unsigned>> opened_; ///< visits in the order of their first lanes
};

} // namespace cpu_device
