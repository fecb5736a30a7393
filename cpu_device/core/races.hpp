/// \file
/// Looks for accesses of different threads to one address that nothing orders: a barrier that is
/// missing, an update that gets lost.
///
/// The first blocks of a launch and the last one are watched, because what orders the threads of a
/// block is in the kernel and not in its data. Their lanes run in step, as a GPU's do in practice:
/// all of them load before any stores, and all store before any goes on. Where lanes of a warp turn
/// out to depend on one another without a call that says so, the other blocks run in step, too.
/// Which blocks use one address is in the data: of all counted blocks the words of global memory
/// are compared, or a sample of those words where there are many.
///
/// Two accesses of a block are ordered by a barrier between them; of a warp, also by a warp-wide
/// call. Not told are stores of two threads alone, which as a rule store the same, and, of global
/// memory, what atomics have to do with; between blocks, nor what volatile accesses have.
#pragma once

#include "core/coalescer.hpp"
#include "core/memory.hpp"
#include "cpu_device/device_limits.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <unordered_map>
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

/// Which access of a race belongs to the next round of a loop: a barrier stands between the two
/// lines, but none between that round and the one before.
enum class NextRound
{
    none,
    load,
    store
};

/// Two accesses to one address of which at least one is a store.
struct Race
{
    RaceKind kind = RaceKind::none;
    std::uintptr_t address = 0;
    std::string place = {}; ///< what is there: "byte 128 of __shared__ sums"
    RacingAccess load;      ///< of RaceKind::update, one of the lanes
    RacingAccess store;
    unsigned lanes = 0;                     ///< of RaceKind::update, how many
    bool by_volatile = false;               ///< both are volatile: in step by the program's wish
    std::uint64_t block = UINT64_MAX;       ///< in which it was seen
    NextRound next_round = NextRound::none; ///< of RaceKind::warps
    /// Both sides load, and then store: an update of one of them gets lost.
    bool both_update = false;
    bool of_bytes = false; ///< what they use is smaller than a word
};

/// A load of what nobody has written; or a store of what a thread's own variable held before
/// anybody set it, which has no place.
struct UnwrittenLoad
{
    RacingAccess load{}; ///< pc is 0 without one
    std::string place = {};
    std::uintptr_t address = 0;
};

/// Which instructions of a block use words of global memory; a sample of them where they are many.
class WordsOfBlocks
{
  public:
    struct Use
    {
        RacingAccess load, store; ///< pc is 0 without one
    };
    using Words = std::unordered_map<std::uintptr_t, Use>; ///< by key_of()

    [[nodiscard]] static std::uintptr_t key_of(std::uintptr_t address, unsigned bytes)
    {
        return address << 1 | static_cast<unsigned>(bytes < 4);
    }
    /// Forgets all words. One of 2^`rarity` words is noted from here on.
    void begin(unsigned rarity)
    {
        words_.clear();
        looked_up_ = 0;
        rarity_ = rarity;
    }
    /// Neighbours are in the sample together: the 16 words of a line.
    [[nodiscard]] static std::uintptr_t line_of(std::uintptr_t key) { return key >> 7; }
    [[nodiscard]] bool is_sampled_line(std::uintptr_t line) const
    {
        return (line * 0x9E3779B97F4A7C15u >> 32 & ((1u << rarity_) - 1)) == 0;
    }
    /// The use of a word; null if it is not in the sample.
    [[nodiscard]] Use* find(std::uintptr_t key)
    {
        if (!is_sampled_line(line_of(key)))
            return nullptr;
        Use& use = words_[key];
        if (++looked_up_ <= most_looked_up && words_.size() <= most)
            return &use;
        begin_rarer(rarity_ + 1);
        return find(key);
    }
    /// Keeps one of 2^`rarity` words.
    void begin_rarer(unsigned rarity)
    {
        rarity_ = std::max(rarity, rarity_);
        looked_up_ = 0;
        std::erase_if(words_,
                      [this](const auto& word) { return !is_sampled_line(line_of(word.first)); });
    }
    /// Notes an access of a warp; of `first`, its first thread, the other lanes follow.
    void note(const Request& request, Access access, const RacingAccess& first);
    [[nodiscard]] const Words& words() const { return words_; }
    [[nodiscard]] unsigned rarity() const { return rarity_; }

  private:
    // Some tens of milliseconds:
    static constexpr std::size_t most = std::size_t{1} << 15;           ///< words,
    static constexpr std::size_t most_looked_up = std::size_t{1} << 19; ///< and uses of them

    Words words_;
    std::size_t looked_up_ = 0;
    unsigned rarity_ = 0;
};

/// What the workers of one launch know of its races.
class LaunchRaces
{
  public:
    /// From the first one on.
    static constexpr std::uint64_t watched_blocks = 4;

    /// `in_step`: as is known of a launch before. Without `watching` that is all there is to it.
    /// `uses_shared`: the kernel may use shared memory.
    LaunchRaces(bool in_step, bool watching, std::uint64_t blocks, bool uses_shared)
        : watching_(watching), uses_shared_(uses_shared), blocks_(blocks), in_step_(in_step)
    {}
    [[nodiscard]] bool uses_shared() const { return uses_shared_; }
    [[nodiscard]] bool watches(std::uint64_t block) const
    {
        return watching_ && (block < watched_blocks || block + 1 == blocks_);
    }
    /// True if what the block uses is compared with others: the first blocks tell enough of many.
    [[nodiscard]] bool compares(std::uint64_t block) const
    {
        constexpr std::uint64_t many = 1 << 16;
        return watching_ && blocks_ > 1 && (compared_ < many || watches(block));
    }
    /// True if lanes of a warp depend on each other: blocks that begin now run in step.
    [[nodiscard]] bool in_step() const { return in_step_.load(std::memory_order_relaxed); }
    /// A race of a block that has ended.
    void add(const Race& race);
    /// Compares the words that a block has used with those of others: a sample of them, and of
    /// blocks that are watched all.
    void add(const WordsOfBlocks& block, bool watched);
    /// WordsOfBlocks::begin() of the next block.
    [[nodiscard]] unsigned rarity() const { return rarity_.load(std::memory_order_relaxed); }
    /// Blocks whose words were compared.
    [[nodiscard]] std::uint64_t compared() const { return compared_; }

    void add(const UnwrittenLoad& load);
    /// In the lowest block that has one.
    [[nodiscard]] const UnwrittenLoad& unwritten() const { return unwritten_; }
    /// In the lowest block that has one; of RaceKind::none if none has.
    [[nodiscard]] const Race& first() const { return first_; }

  private:
    void compare(const WordsOfBlocks& block, WordsOfBlocks& others);

    bool watching_;
    bool uses_shared_;
    std::uint64_t blocks_;
    std::atomic<bool> in_step_;
    std::atomic<unsigned> rarity_ = 0;
    std::recursive_mutex mutex_; ///< add() compares words, and adds the races that it finds
    Race first_;
    UnwrittenLoad unwritten_;
    WordsOfBlocks words_, words_of_watched_;
    std::atomic<std::uint64_t> compared_ = 0;
};

/// What the warps of a block have done to single words since its last barrier.
class WordHistory
{
  public:
    /// Accesses of one warp to one word, of one kind, that nothing orders among themselves.
    struct Mark
    {
        std::uintptr_t pc = 0; ///< 0: none
        unsigned warp = 0;
        unsigned epoch = 0;
        unsigned lanes = 0;
        bool atomic = false;
        bool is_volatile = false;

        /// True of one that the warp of the other has made.
        [[nodiscard]] bool is_of(const Mark& other) const { return pc != 0 && warp == other.warp; }
    };
    using Marks = std::array<Mark, 2>; ///< the first and the last warp's in this phase
    struct Word
    {
        std::uintptr_t key = 0;
        std::uint64_t block = 0; ///< number of begin_block() that it belongs to
        unsigned phase = 0;
        Marks loads, stores;
    };
    static constexpr std::size_t most = std::size_t{1} << 15; ///< words

    /// Takes the memory that the first begin_block() would take.
    void prepare() { words_.resize(2 * most); }
    /// Forgets all words.
    void begin_block()
    {
        prepare();
        used_ = 0;
        ++serial_;
    }
    /// Returns the word of a WordsOfBlocks::key_of(); null if it has too many.
    [[nodiscard]] Word* find(std::uintptr_t key, unsigned phase);
    /// Returns how many words it has.
    [[nodiscard]] std::size_t size() const { return used_; }
    /// Adds what a warp did to the marks of a word: of its first or of its last warp.
    static void add(Marks& marks, const Mark& mark);

  private:
    std::vector<Word> words_; ///< open addressing
    std::size_t used_ = 0;
    std::uint64_t serial_ = 0; ///< of begin_block()
};

/// Between which barriers a block has executed its instructions.
class PhasesOfInstructions
{
  public:
    void note(std::uintptr_t pc, unsigned phase, std::size_t warp);
    /// Tells which of the two has been executed in an earlier phase than the other, and again
    /// behind it.
    [[nodiscard]] NextRound next_round(std::uintptr_t load, std::uintptr_t store) const;

  private:
    struct Executed
    {
        std::uintptr_t pc = 0;
        unsigned first_phase = 0;
        unsigned last_phase = 0;
        std::size_t last_warp = 0;
        std::vector<std::uintptr_t> before = {}; ///< by the warp that came first, in that phase
    };
    std::vector<Executed> executed_;
};

/// The accesses of one block that is counted.
class BlockRaces
{
  public:
    /// Takes the memory that the first begin_block() would take: some milliseconds.
    void prepare() { history_.prepare(); }
    /// The launch compares the block with others, or watches it.
    void begin_block(std::uint64_t block, const LaunchRaces& launch);
    /// Hands on what was found; `place_of` describes an address.
    void end_block(LaunchRaces& launch, const std::function<std::string(std::uintptr_t)>& place_of);

    /// All threads of the block have passed a barrier.
    void note_block_barrier() { ++phase_; }
    /// Lanes of the warp have synchronized. Unless these are `all` that still run, no races within
    /// the warp are reported until the block's next barrier.
    void note_warp_barrier(std::size_t warp, bool all);
    /// Threads may be ordered by means unseen here: no more races of this block are reported.
    void give_up() { given_up_ = true; }
    /// Blocks may be ordered, by a grid barrier or a flag: no more races between blocks.
    void note_grid_barrier() { ordered_blocks_ = true; }

    struct Instruction
    {
        std::uintptr_t pc = 0;
        Access access = Access::load;
        AddressSpace space = AddressSpace::global; ///< or shared
        bool is_volatile = false;
        bool in_range = false; ///< of a structure, where padding may be
    };
    /// False if enough of the block has been seen.
    [[nodiscard]] bool note(const Request& request, const Instruction& instruction,
                            std::size_t warp);
    /// Notes what the block shares with others.
    void note_for_blocks(const Request& request, const Instruction& instruction, std::size_t warp);
    /// A thread loads what holds poison.
    void note_unwritten(std::uintptr_t pc, std::uintptr_t address, unsigned thread)
    {
        if (unwritten_.address == 0)
            unwritten_ = {{pc, block_, thread}, "", address};
    }
    /// True if lanes of a warp depend on each other.
    [[nodiscard]] bool lanes_race() const { return lanes_race_; }

  private:
    using Mark = WordHistory::Mark;

    void load(WordHistory::Word& word, std::uintptr_t address, const Mark& mark);
    void store(WordHistory::Word& word, std::uintptr_t address, const Mark& mark,
               const Request& request);
    /// The first lanes of the two marks race.
    void found(RaceKind kind, std::uintptr_t address, const Mark& load, const Mark& store);
    /// Lanes of the request that use the address.
    [[nodiscard]] static unsigned lanes_at(std::uintptr_t address, const Request& request);
    [[nodiscard]] RacingAccess access_of(const Mark& mark) const;

    struct Warp
    {
        unsigned epoch = 0;            ///< meetings so far
        unsigned unclear = UINT32_MAX; ///< phase in which only some lanes have met
    };

    WordHistory history_;
    PhasesOfInstructions executed_;
    WordsOfBlocks words_of_block_;
    std::array<Warp, DeviceLimits::max_threads_per_block / warp_lanes> warps_;
    std::uint64_t block_ = 0;
    unsigned phase_ = 0;
    std::size_t noted_ = 0;        ///< lanes' words of shared memory,
    std::size_t noted_global_ = 0; ///< of global memory,
    std::size_t global_words_ = 0; ///< different ones,
    std::size_t passed_ = 0;       ///< and accesses of lanes that were not looked at
    bool given_up_ = false;
    bool ordered_blocks_ = false; ///< perhaps: by atomics, by volatile flags or by a barrier
    bool lanes_race_ = false;
    bool compared_ = false;    ///< with other blocks
    bool uses_shared_ = false; ///< LaunchRaces::uses_shared()
    bool of_bytes_ = false;    ///< the request that is noted
    Race race_;
    Race update_;             ///< the first of RaceKind::update
    UnwrittenLoad unwritten_; ///< the first; without one, the first store of an unset variable
};

[[nodiscard]] inline std::uint64_t block_count(const LaunchConfiguration& configuration)
{
    const Dimensions& grid = configuration.grid;
    return std::uint64_t{grid.x} * grid.y * grid.z;
}

/// A sentence on the first race of a launch; empty without one.
[[nodiscard]] std::string describe(const LaunchRaces& races,
                                   const LaunchConfiguration& configuration);
/// A sentence on a load of what nothing has written, or a store of what nothing has set; empty
/// without one.
[[nodiscard]] std::string describe(const UnwrittenLoad& unwritten,
                                   const LaunchConfiguration& configuration);

} // namespace cpu_device
