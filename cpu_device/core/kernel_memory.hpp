/// \file
/// The instructions of a kernel that access memory, what lies at the addresses that they use, and
/// what is said where they must not use that.
#pragma once

#include "core/coalescer.hpp"
#include "core/memory.hpp"
#include "core/stacks.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace cpu_device {

/// What lies at an address.
struct Place
{
    Region region;
    GlobalRegion* global = nullptr; ///< the same, if global
    std::uintptr_t shift = 0;       ///< from an address to the one that is noted
};

/// One instruction that accesses one kind of memory.
struct Site
{
    /// Bits of a key below the address of the instruction.
    static constexpr unsigned key_bits = 7;
    /// A site that only some lanes ever reach never has requests that all lanes have passed. Beyond
    /// this many, only the lanes that did reach it are waited for.
    static constexpr unsigned max_open_requests = 16 * 1024;

    std::uintptr_t key = 0;
    /// Where it last was; most stay in one allocation. At first in reach of no address.
    Place place{.region = {.begin = UINTPTR_MAX}};
    std::uintptr_t reach = 0; ///< last offset in it at which an access fits
    Access access = Access::load;
    unsigned bytes = 0;
    bool is_volatile = false;
    bool in_range = false;                     ///< part of Tracer::record_range()
    unsigned open = 0;                         ///< requests noted
    unsigned passed = 0;                       ///< of them, that all lanes have made
    std::array<unsigned, warp_lanes> visits{}; ///< by lane; at most `open`
    std::vector<LaneAddresses> requests = {};  ///< at least `open`, by visit
    std::vector<unsigned> rounds = {};         ///< likewise: SampledTouch::round
    std::uint64_t turn = 0;                    ///< of a warp that ran, in which it was used,
    unsigned round = 0;                        ///< and the last round
    Site* other = nullptr;                     ///< the same instruction in another kind of memory

    [[nodiscard]] static std::uintptr_t key_of(std::uintptr_t pc, unsigned bytes, Access access)
    {
        return pc << key_bits | bytes << 2 | static_cast<unsigned>(access);
    }
    /// The return address of the compiler's call.
    [[nodiscard]] std::uintptr_t pc() const { return key >> key_bits; }
    /// As TracedStep::site.
    [[nodiscard]] std::uint32_t number() const { return static_cast<std::uint32_t>(pc()); }
    /// The lanes that have made this visit.
    [[nodiscard]] unsigned lanes_of(unsigned visit) const;
    [[nodiscard]] AddressSpace space() const { return place.region.space; }
    /// Begins one more request.
    void open_request();
    /// Finds the requests that all of the lanes `live` have made; of no lanes, all.
    void find_passed(unsigned live);
    /// Forgets the requests that all lanes have passed.
    void forget_passed();
};

/// True of what counts as a kernel's own use of memory, next to stacks, constants and the like.
[[nodiscard]] inline bool is_data(AddressSpace space)
{
    return space == AddressSpace::global || space == AddressSpace::shared;
}

/// Finds the site of an instruction.
class SiteTable
{
  public:
    /// Where a site is found without a search, as a rule.
    struct Slot
    {
        std::uintptr_t key = 0;
        Site* site = nullptr;
    };
    [[nodiscard]] const Slot& slot(std::uintptr_t key) const
    {
        return slots_[static_cast<std::size_t>(key * scatter >> shift_)];
    }
    /// The site, which is made if there is none.
    Site& search(std::uintptr_t key, unsigned bytes, Access access);
    /// The site of the same instruction in that kind of memory.
    Site& in_space(Site& site, AddressSpace space);
    /// Forgets all sites, but keeps their memory.
    void clear();
    /// Has those sites look anew that last were in the region.
    void forget_places_in(const Region& region);

  private:
    static constexpr std::uint64_t scatter = 0x9E3779B97F4A7C15u; ///< 2^64 by the golden ratio

    /// The slot of the key, or the free one where it belongs.
    [[nodiscard]] Slot& find(std::uintptr_t key);
    void grow();
    Site& make(std::uintptr_t key, unsigned bytes, Access access);

    std::vector<Slot> slots_ = std::vector<Slot>(1024); ///< open addressing, at most half full
    unsigned shift_ = 54;                               ///< of a hash, for as many slots
    std::deque<Site> sites_;
    std::size_t used_ = 0; ///< of the sites
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

/// The arrays of all threads of a block, and what was moved to and from them since begin_launch().
class LocalMemory
{
  public:
    LocalMemory();

    void begin_launch();
    /// The thread begins: it has no arrays yet.
    void begin_thread(unsigned thread) { arrays_[thread].clear(); }
    /// The thread has an array there; `surely`: it is in local memory. True if no thread has had
    /// that one so far.
    bool note(unsigned thread, std::uintptr_t declaration, const Region& region, bool surely);
    /// The array of the thread that holds the bytes from `address` on; nothing if none does. With
    /// its shift, the array's number, and the offset in it, are left of an address: the same array
    /// may lie at different addresses in different threads.
    [[nodiscard]] std::optional<Place> find(unsigned thread, std::uintptr_t address,
                                            std::size_t bytes) const;
    [[nodiscard]] bool empty() const { return declared_.empty(); }
    /// Counts a request whose addresses were shifted.
    void count(const Request& request, Access access);
    [[nodiscard]] const std::vector<LocalArrayTraffic>& traffic() const { return declared_; }

  private:
    /// Bits of the offset in a thread's array, which is in its stack.
    static constexpr unsigned offset_bits = std::countr_zero(StackPool::stack_bytes);

    struct ArrayOfThread
    {
        Region region;
        std::size_t number = 0; ///< in declared_
    };

    std::vector<LocalArrayTraffic> declared_;        ///< by number
    std::vector<std::vector<ArrayOfThread>> arrays_; ///< by thread of the block
};

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

/// All memory that the threads of a block can use.
class KernelMemory
{
  public:
    void begin_launch(const BlockMemory& block);
    /// What lies at `address`, which the site accesses in that thread. Ends the process if it is
    /// nothing that it may access. A `__shared__` variable holds poison from its first use on.
    [[nodiscard]] Place find(std::uintptr_t address, const Site& site, unsigned thread);
    /// What lies at an address that a kernel has used: "byte 128 of __shared__ sums".
    [[nodiscard]] std::string describe(std::uintptr_t address) const;
    void note_shared_write(const Request& request);
    /// Overwrites what the block wrote to its `__shared__` variables, before the next one starts;
    /// with `all`, those of the kernel, where no call has told of what blocks wrote.
    void poison_shared(bool all);
    [[nodiscard]] const BlockMemory& block() const { return block_; }
    [[nodiscard]] LocalMemory& arrays() { return arrays_; }

  private:
    /// The same, whatever its alignment.
    [[nodiscard]] Place find_any(std::uintptr_t address, const Site& site, unsigned thread);
    /// Of an address on the stack: one of the thread's arrays, or what else is there.
    [[nodiscard]] Place find_on_stack(std::uintptr_t address, const Site& site,
                                      unsigned thread) const;
    /// The `__shared__` variable at an address among all thread-local ones.
    [[nodiscard]] Region find_shared(std::uintptr_t address, const Site& site);
    /// A variable of the program or of a library; nothing of anything else.
    [[nodiscard]] std::optional<Place> find_variable(std::uintptr_t address,
                                                     const Site& site) const;
    void poison_first_use(const Region& variable);
    /// Ends the process if `address` is outside, but in reach, of the `__shared__` variable that it
    /// is meant to be in.
    void check_overrun(std::uintptr_t address, const Site& site) const;
    /// Ends the process: the kernel's device may not use that memory.
    [[noreturn]] void refuse(const GlobalRegion& allocation, std::uintptr_t address,
                             const Site& site) const;
    /// Ends the process: nothing of the kernel's is there.
    [[noreturn]] static void report_outside(std::uintptr_t address, const Site& site);

    BlockMemory block_;
    LocalMemory arrays_;
    std::vector<Region> written_;        ///< of its `__shared__` variables
    std::vector<std::uintptr_t> in_use_; ///< where those used so far begin
};

/// "writes 4 bytes at 0x7f00".
[[nodiscard]] std::string describe_access(const Site& site, std::uintptr_t address);
/// Ends the process with the line of the access behind `text`, and `more` behind that.
[[noreturn]] void fault_at(const Site& site, std::string text, const std::string& more = {});

} // namespace cpu_device
