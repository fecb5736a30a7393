/// \file
/// Looks for accesses of different threads to one address that nothing orders: a barrier that is
/// missing, an update that gets lost.
///
/// The first blocks of a launch are watched, because what orders accesses is in the kernel and not
/// in its data. Their lanes run in step, as a GPU's do in practice: all of them load before any
/// stores, and all store before any goes on. Where lanes of a warp turn out to depend on one
/// another without a call that says so, the other blocks run in step, too.
///
/// Two accesses of a block are ordered by a barrier between them; of a warp, also by a warp-wide
/// call. Not told are stores of two threads alone, which as a rule store the same, and, of global
/// memory, what atomics have to do with.
#pragma once

#include "core/coalescer.hpp"
#include "core/memory.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace cpu_device {

/// Between whom nothing orders the accesses.
enum class RaceKind
{
    none,
    warps,  ///< of a block
    lanes,  ///< of a warp
    update, ///< lanes of a warp that load, and then store, one address
    blocks  ///< of the grid
};

/// One access of a race.
struct RacingAccess
{
    std::uintptr_t pc = 0;
    std::uint64_t block = 0;
    unsigned thread = 0; ///< of the block
};

/// Two accesses to one address of which at least one is a store.
struct Race
{
    RaceKind kind = RaceKind::none;
    std::uintptr_t address = 0;
    std::string place = {}; ///< what is there: "byte 128 of __shared__ sums"
    RacingAccess load;      ///< of RaceKind::update, one of the lanes
    RacingAccess store;
    unsigned lanes = 0;               ///< of RaceKind::update, how many
    bool by_volatile = false;         ///< both are volatile: in step by the program's wish
    std::uint64_t block = UINT64_MAX; ///< in which it was seen
};

/// A load of what nobody has written.
struct UnwrittenLoad
{
    RacingAccess load{}; ///< pc is 0 without one
    std::string place = {};
};

/// What the workers of one launch know of its races.
class LaunchRaces
{
  public:
    /// From the first one on.
    static constexpr std::uint64_t watched_blocks = 4;

    /// `in_step`: as is known of a launch before. Without `watching` that is all there is to it.
    LaunchRaces(bool in_step, bool watching) : watching_(watching), in_step_(in_step) {}
    [[nodiscard]] bool watches(std::uint64_t block) const
    {
        return watching_ && block < watched_blocks;
    }
    /// True if lanes of a warp depend on each other: blocks that begin now run in step.
    [[nodiscard]] bool in_step() const { return in_step_.load(std::memory_order_relaxed); }
    /// A race of a block that has ended.
    void add(const Race& race);

    /// A word of global memory that one block has used, and by which instructions.
    struct WordOfBlock
    {
        RacingAccess load, store; ///< pc is 0 without one
    };
    /// Compares what a block has used with what others have. Call it for blocks without atomics.
    void add(std::uintptr_t word, const WordOfBlock& use);

    void add(const UnwrittenLoad& load);
    /// In the lowest block that has one.
    [[nodiscard]] const UnwrittenLoad& unwritten() const { return unwritten_; }
    /// In the lowest block that has one; of RaceKind::none if none has.
    [[nodiscard]] const Race& first() const { return first_; }

  private:
    bool watching_;
    std::atomic<bool> in_step_;
    std::mutex mutex_;
    Race first_;
    UnwrittenLoad unwritten_;
    std::map<std::uintptr_t, WordOfBlock> words_;
};

/// The accesses of one block that is watched.
class BlockRaces
{
  public:
    /// Takes the memory that the first begin_block() would take: some milliseconds.
    void prepare();
    void begin_block(std::uint64_t block);
    /// Hands on what was found; `place_of` describes an address.
    void end_block(LaunchRaces& launch, const std::function<std::string(std::uintptr_t)>& place_of);

    /// All threads of the block have met.
    void meet() { ++phase_; }
    /// Lanes of the warp have met: all that can go on, or only some of them, and then nothing is
    /// said of that warp until the block meets.
    void meet(std::size_t warp, bool all);
    /// Threads are ordered by what is not seen here: nothing more is said of this block.
    void give_up() { given_up_ = true; }
    /// Likewise, of what it shares with other blocks alone.
    void meet_blocks() { ordered_blocks_ = true; }

    struct Instruction
    {
        std::uintptr_t pc = 0;
        Access access = Access::load;
        AddressSpace space = AddressSpace::global; ///< or shared
        bool is_volatile = false;
    };
    /// False if enough of the block has been seen.
    [[nodiscard]] bool note(const Request& request, const Instruction& instruction,
                            std::size_t warp);
    /// A thread loads what holds poison.
    void note_unwritten(std::uintptr_t pc, std::uintptr_t address, unsigned thread)
    {
        if (unwritten_.pc == 0) {
            unwritten_ = {pc, block_, thread};
            unwritten_address_ = address;
        }
    }
    /// True if lanes of a warp depend on each other.
    [[nodiscard]] bool lanes_race() const { return lanes_race_; }

  private:
    /// Accesses of one warp to one word, of one kind, that nothing orders among themselves.
    struct Mark
    {
        std::uintptr_t pc = 0; ///< 0: none
        unsigned warp = 0;
        unsigned epoch = 0;
        unsigned lanes = 0;
        bool atomic = false;
        bool is_volatile = false;
    };
    struct Word
    {
        std::uintptr_t key = 0;
        std::uint64_t block = 0; ///< number of begin_block() that it belongs to
        unsigned phase = 0;
        std::array<Mark, 2> loads, stores; ///< the first and the last warp's in this phase
        LaunchRaces::WordOfBlock use;      ///< in all phases, of global memory
    };
    struct Warp
    {
        unsigned epoch = 0;            ///< meetings so far
        unsigned unclear = UINT32_MAX; ///< phase in which only some lanes have met
    };

    [[nodiscard]] Word* find(std::uintptr_t key);
    void load(Word& word, std::uintptr_t address, unsigned lane, const Mark& mark);
    void store(Word& word, std::uintptr_t address, unsigned lane, const Mark& mark,
               const Request& request);
    void found(RaceKind kind, std::uintptr_t address, const Mark& load, unsigned load_lane,
               const Mark& store, unsigned store_lane);
    /// Lanes of the request that use the address.
    [[nodiscard]] static unsigned lanes_at(std::uintptr_t address, const Request& request);
    [[nodiscard]] RacingAccess access_of(const Mark& mark, unsigned lane) const;
    [[nodiscard]] bool clear(unsigned warp) const;

    std::vector<Word> words_;       ///< open addressing
    std::vector<std::size_t> used_; ///< of them, in the order of their first use
    std::uint64_t serial_ = 0;      ///< of begin_block()
    std::uint64_t block_ = 0;
    unsigned phase_ = 0;
    std::size_t noted_ = 0;
    bool given_up_ = false;
    bool ordered_blocks_ = false; ///< perhaps: by atomics, or by a barrier of the grid
    bool lanes_race_ = false;
    std::vector<Warp> warps_;
    Race race_;
    RacingAccess unwritten_;
    std::uintptr_t unwritten_address_ = 0;
};

} // namespace cpu_device
