/// \file
/// Lets the threads of a block run, wait for each other and go on.
///
/// The threads of a block run as a plain loop on one fiber. A thread that has to wait suspends that
/// fiber, and the loop goes on with the next thread on another one; a kernel without barriers never
/// switches. Warp by warp: a warp runs until each of its lanes has returned or waits for the block.
#pragma once

#include "core/block_threads.hpp"
#include "core/races.hpp"
#include "core/stacks.hpp"

#include <array>
#include <bitset>
#include <chrono>
#include <memory>
#include <vector>

namespace cpu_device {

/// Looks for threads that wait without a call that says so: by reading the same addresses again and
/// again.
class SpinWatch
{
  public:
    /// `stacks`: what no other thread writes.
    void begin_launch(std::size_t threads, const Region& stacks);
    /// A block begins, or its threads have met.
    void note_progress();
    /// Looks at an access of the thread by the instruction at `pc`: Thread::looked_at is true
    /// afterwards if the next one must be looked at as well.
    void look(Thread& thread, std::uintptr_t pc, std::uintptr_t address);
    /// Threads run in step: perhaps they wait by that.
    void note_step() { may_wait_unseen_ = true; }
    /// True if threads read the same addresses again and again, or went in step: perhaps they wait
    /// for others without a call that says so.
    [[nodiscard]] bool may_wait_unseen() const { return may_wait_unseen_; }
    /// A thread of a block in which all that do not wait have long done nothing but use the same
    /// few addresses; null if there is none.
    [[nodiscard]] const Thread* find_spinning(const BlockThreads& block);
    /// Tells of it: see report_spin().
    void report(const Thread& spinning) const;

  private:
    /// What a thread does again and again, seen each time that it yields.
    struct Spin
    {
        std::array<std::uintptr_t, 4> addresses{};
        std::uintptr_t pc = 0;
        /// Accesses yet to be looked at, one by one, before the thread is said to wait: of a loop
        /// that uses one word in each round, every yield may see no other.
        unsigned looks = 0;
        std::array<std::uintptr_t, 8> seen{}; ///< their addresses,
        unsigned different = 0;               ///< so many
    };

    /// The addresses that a thread of a block which takes long has used, seen each time that it
    /// yields.
    struct Round
    {
        std::bitset<2048> addresses; ///< by their hashes
        unsigned repeats = 0;        ///< yields since the last new one
    };

    void note_round(unsigned thread, std::uintptr_t address);

    Region stacks_;
    std::vector<Spin> spins_;                        ///< by thread
    std::chrono::steady_clock::time_point progress_; ///< when the block began, or last met
    double seconds_ = 0;                             ///< since then
    std::vector<Round> rounds_; ///< by thread, of a block that takes long since then
    bool may_wait_unseen_ = false;
};

/// What lets the threads go on that wait for their block.
struct Meeting
{
    bool over = false;             ///< all have returned
    const Thread* first = nullptr; ///< of those at a barrier of the block, if it is that
    bool is_partial = false;       ///< that barrier: others have returned without it
    unsigned warps = 0;            ///< whose lanes wait at that barrier, as bits
};

class BlockScheduler
{
  public:
    /// Tells the tracer and the races which lanes run and meet. `guarded`: see StackPool.
    BlockScheduler(Tracer& tracer, BlockRaces& races, bool guarded);

    /// Each thread calls body(context).
    void begin_launch(const LaunchConfiguration& launch, void (*body)(void*), void* context);
    /// `order`: see BlockThreads.
    void begin_block(std::uint64_t block, const Dimensions& index, std::uint64_t order,
                     bool counted);
    [[nodiscard]] BlockThreads& block() { return block_; }
    void run_warp(Warp& warp);
    /// What the threads have come to when all warps have run. Ends the process if some wait for
    /// what cannot come.
    [[nodiscard]] Meeting find_meeting();
    /// Lets those go on that have met at a barrier of the block.
    void pass_barrier();
    /// Reports a block in which threads have long done nothing but read the same few addresses.
    void look_for_spin();

    // Called by the thread of the kernel that runs now.

    /// Itself; of a sentence, the thread that it is about.
    [[nodiscard]] Thread* current() const { return current_; }
    /// Threads of its warp.
    [[nodiscard]] unsigned warp_size() const { return warp_->size; }
    /// Waits in that state until it may go on.
    void suspend(Warp::State state);
    /// The same, in a call that says so, for others that come to this place.
    void meet(Warp::State state, SourceLine where);
    /// How many threads passed true to the barrier that was passed last.
    [[nodiscard]] unsigned barrier_count() const { return barrier_count_; }
    /// After an access to `address` by the instruction at `pc`.
    void yield(std::uintptr_t pc, std::uintptr_t address);
    /// Lets the other lanes of the warp come to where this one is: before an access to `address` by
    /// the instruction at `pc`.
    void wait_for_lanes(std::uintptr_t pc, std::uintptr_t address);

    [[nodiscard]] SpinWatch& spins() { return spins_; }
    [[nodiscard]] const StackPool& stacks() const { return stacks_; }
    [[nodiscard]] std::uint64_t blocks_begun() const { return blocks_begun_; }
    /// How often threads have waited since begin_launch(), in blocks that are counted.
    [[nodiscard]] std::uint64_t waits() const { return waits_; }

  private:
    void run_ready_lanes(Warp& warp);
    /// The next one of the warp that may go on; null where a fresh one is before it, or none left.
    Thread* take_ready_lane();
    void run_fresh_lanes();
    /// A fiber that runs fresh lanes.
    [[nodiscard]] host::Fiber* take_fiber();
    void enter(Thread& thread);

    Tracer& tracer_;
    BlockRaces& races_;
    BlockThreads block_;
    SpinWatch spins_;
    StackPool stacks_;
    std::vector<std::unique_ptr<host::Fiber>> fibers_;
    std::vector<host::Fiber*> idle_;
    host::Fiber* running_ = nullptr;
    void (*body_)(void*) = nullptr;
    void* context_ = nullptr;
    bool counted_ = false;
    Thread* current_ = nullptr;
    Warp* warp_ = nullptr;           ///< of the current thread
    const unsigned* next_ = nullptr; ///< in the order of lanes: those of the warp still to run
    const unsigned* end_ = nullptr;
    unsigned barrier_count_ = 0;
    std::uint64_t blocks_begun_ = 0;
    std::uint64_t waits_ = 0;
};

} // namespace cpu_device
