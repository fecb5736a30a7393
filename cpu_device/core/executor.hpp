/// \file
/// Runs the blocks of a launch, one after the other, on one thread of the host.
///
/// The threads of a block run as a plain loop on one fiber. A thread that has to wait suspends that
/// fiber, and the loop goes on with the next thread on another one; a kernel without barriers never
/// switches. Warp by warp: a warp runs until each of its lanes has returned or waits for the block.
#pragma once

#include "core/host.hpp"
#include "core/kernels.hpp"
#include "core/races.hpp"
#include "core/request_log.hpp"
#include "core/stacks.hpp"
#include "core/tracer.hpp"

#include <array>
#include <atomic>
#include <bitset>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace cpu_device {

/// What all blocks of one launch have in common.
struct KernelRun
{
    LaunchConfiguration configuration;
    void (*body)(void*) = nullptr;
    void* context = nullptr;
    int device = 0;                 ///< the device that runs it
    bool counted = true;            ///< whether the accesses of its threads are counted
    std::uint64_t lane_order = 0;   ///< seed of the order of lanes; 0 is ascending
    RequestLog* log = nullptr;      ///< log of the first warp of the first block, or null
    bool sampled = false;           ///< whether a sample of all blocks' accesses is kept
    std::uint64_t first_traced = 0; ///< first block that may be traced
    std::atomic<std::size_t>* trace_budget = nullptr; ///< sectors left to trace; null for no traces
    std::size_t traced_sectors = 0;          ///< about the most sectors traced of one block
    LaunchRaces* races = nullptr;            ///< where blocks report races; null for no detection
    std::function<void()> grid_barrier = {}; ///< waits for the blocks on other host threads
};

/// A barrier that only some threads of a block have reached.
struct PartialBarrier
{
    std::uint64_t block = UINT64_MAX; ///< the largest there is: no block has one
    std::string sentence;
};

/// What the blocks that a worker has run have shown, next to their counts.
struct BlockFindings
{
    std::vector<BlockTrace> traces;    ///< of those that were traced
    TouchSample touches;               ///< if that was sampled
    unsigned longest_requests = 0;     ///< the most of global memory that a warp made
    std::uint64_t divergent_warps = 0; ///< Counts::divergent_warps
    std::uint64_t waits = 0;           ///< of threads for others, in blocks that were counted
    /// Threads read the same addresses again and again, or went in step: perhaps they wait for
    /// others without a call that says so.
    bool may_wait_unseen = false;
    PartialBarrier partial_barrier; ///< of the first block that has one
    std::string advice;             ///< LaunchRecord::advice
};

class Worker
{
  public:
    /// `guarded`: whether a stack overflow is told; see StackPool.
    explicit Worker(bool guarded = true);
    ~Worker();
    Worker& operator=(Worker&&) = delete;

    /// Binds the worker to the calling thread until end_launch().
    void begin_launch(const KernelRun& launch);
    /// To be called where no other worker gets ahead meanwhile.
    void prepare_to_watch() { races_.prepare(); }
    void run_block(std::uint64_t block);
    /// Whether the next blocks are counted, in a launch that is.
    void count_blocks(bool counted) { launch_.counted = counted; }
    /// Counts of the blocks run since begin_launch(), without distinct sectors, local memory and
    /// the link.
    [[nodiscard]] Counts counted() const;
    void end_launch();
    /// Since begin_launch().
    [[nodiscard]] BlockFindings& found() { return found_; }
    void note_advice(std::string sentence) { found_.advice = std::move(sentence); }

    // Called by the thread of the kernel that runs now.
    int barrier(bool predicate, SourceLine where, bool of_grid = false);
    const WarpValues& warp_exchange(unsigned mask, std::uint64_t value, SourceLine where);
    const std::uint64_t* tile_exchange(unsigned threads, std::uint64_t value, SourceLine where);
    [[nodiscard]] unsigned active_mask(SourceLine where);
    /// After an access to `address` by the instruction at `pc`.
    void yield(std::uintptr_t pc, std::uintptr_t address);
    /// Lets the other lanes of the warp come to where this one is: before an access to `address` by
    /// the instruction at `pc`.
    void wait_for_lanes(std::uintptr_t pc, std::uintptr_t address);
    /// Waits for the threads of the warp's that come to a call which puts something out, so that
    /// they do one call after the other, and each in the order of the lanes.
    void wait_for_print_order(SourceLine where);
    /// Threads wait for each other in a way that no barrier tells.
    void note_other_order() { races_.give_up(); }
    /// Before a volatile access to shared or global memory: the lanes of the warp make it in step.
    void step(std::uintptr_t pc, std::uintptr_t address, bool writes);
    void note_clock_read();
    /// Ends the running thread; its fiber is never resumed.
    [[noreturn]] void abandon();
    [[nodiscard]] unsigned lane() const { return current_->number % warp_lanes; }
    [[nodiscard]] bool counts() const { return launch_.counted; }
    [[nodiscard]] std::uint64_t blocks_begun() const { return blocks_begun_; }
    [[nodiscard]] void* dynamic_shared() const { return dynamic_shared_; }
    [[nodiscard]] Tracer& tracer() { return tracer_; }

    /// "kernel add (launched at add.cu:31), block (1, 0, 0), thread (5, 0, 0)".
    [[nodiscard]] std::string whereabouts() const;
    /// A sentence if an access of the running thread would be one to its own row, were the pitch of
    /// the allocation in elements of `bytes`; else empty.
    [[nodiscard]] std::string advice_on_pitch(const Allocation& allocation, std::uintptr_t address,
                                              std::size_t bytes) const;
    /// True if `address` is just below the stack of a thread.
    [[nodiscard]] bool below_stack(std::uintptr_t address) const
    {
        return stacks_.in_guard(address);
    }

  private:
    /// Where the lanes of a warp are. The one that runs right now is nowhere.
    enum State : unsigned
    {
        fresh,            ///< not started
        ready,            ///< suspended, may go on
        yielded,          ///< suspended until the other lanes have caught up
        at_barrier,       ///< of the block
        in_exchange,      ///< with other lanes
        yielded_to_warps, ///< suspended until the other warps of the block have run
        gathering,        ///< waits to see which lanes come to the same active_mask()
        waiting_to_print, ///< waits until no other lane is before the line at which it is
        returned,
        states
    };

    /// What a thread does again and again, seen each time that it yields.
    struct Spin
    {
        std::array<std::uintptr_t, 4> addresses{};
        std::uintptr_t pc = 0; ///< 0 once the thread has met others
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

    struct Thread
    {
        unsigned number = 0; ///< in the block
        Dimensions index;
        host::Fiber* fiber = nullptr; ///< where it is suspended
        SourceLine where;             ///< what it waits at
        unsigned mask = 0;
        bool predicate = false;
        bool of_grid = false; ///< the barrier is one of the whole grid
        unsigned tile = 0;    ///< or one of a tile of so many threads
        std::uint64_t value = 0;
        const WarpValues* values = nullptr;
        unsigned steps = 0;       ///< volatile stores to shared memory since it last met others
        unsigned waits = 0;       ///< for other lanes, of those that run in step
        unsigned clock_reads = 0; ///< likewise
        Spin spin;
    };

    struct Warp
    {
        unsigned first = 0; ///< number of its first thread
        unsigned size = 0;  ///< threads
        bool divergent = false;
        RequestsBegun requests;               ///< of global memory
        std::array<unsigned, states> lanes{}; ///< by state
        [[nodiscard]] unsigned threads() const { return all_lanes >> (warp_lanes - size); }
        void move(unsigned some, State from, State to)
        {
            lanes[from] &= ~some;
            lanes[to] |= some;
        }
    };

    void begin_block(std::uint64_t block);
    void shuffle(std::uint64_t block);
    void run_warp(Warp& warp);
    void run_ready_lanes(Warp& warp);
    /// The next one of the warp that may go on; null where a fresh one is before it, or none left.
    Thread* take_ready_lane();
    void run_fresh_lanes();
    /// A fiber that runs fresh lanes.
    [[nodiscard]] host::Fiber* take_fiber();
    void enter(Thread& thread);
    void suspend(State state);
    bool finish_exchanges(Warp& warp);
    /// Of a lane that is not in its own mask.
    [[noreturn]] void report_outside(unsigned mask, SourceLine where) const;
    void finish_gathering(Warp& warp);
    void finish_turn(Warp& warp);
    /// Lets the threads go on that wait for the block. False if all have returned.
    bool finish_barrier();
    /// The same for tiles of several warps. False if none is complete.
    bool finish_tiles();
    [[noreturn]] void report_divergence(const Thread& first);
    /// Notes that `first` and others pass a barrier of the block that not all threads have reached.
    void note_partial_barrier(const Thread& first);
    [[nodiscard]] bool wait_together(const Thread& one, const Thread& other) const;
    [[nodiscard]] std::vector<const Thread*> live_threads() const;
    [[nodiscard]] std::string describe_wait(const Thread& thread) const;
    [[nodiscard]] bool is(const Thread& thread, State state) const;
    /// Reports a block in which threads have long done nothing but read the same few addresses.
    void look_for_spin();
    [[nodiscard]] bool keeps_looking(std::uintptr_t pc, std::uintptr_t address);
    /// Of a block that takes long: notes whether the current thread goes round the same addresses.
    void note_round(std::uintptr_t address);

    StackPool stacks_;
    std::vector<std::unique_ptr<host::Fiber>> fibers_;
    std::vector<host::Fiber*> idle_;
    host::Fiber* running_ = nullptr;

    KernelRun launch_;
    Tracer tracer_;
    BlockRaces races_;
    BlockFindings found_;
    bool tracing_ = false; ///< the last of its traces is of the block that runs
    std::byte* dynamic_shared_ = nullptr;

    std::vector<Thread> threads_; ///< by number
    std::vector<Warp> warps_;
    std::vector<unsigned> warp_order_;
    std::vector<unsigned> lane_order_;  ///< thread numbers, warp by warp
    std::vector<WarpValues> exchanged_; ///< by number of the first thread that takes part
    bool has_tiles_ = false;            ///< of several warps
    /// What they exchange, by thread: behind what lanes do, as kernels read both.
    [[nodiscard]] std::uint64_t* tile_values();
    Thread* current_ = nullptr;
    Warp* warp_ = nullptr;           ///< of the current thread
    const unsigned* next_ = nullptr; ///< in lane_order_: the lanes of the warp still to run
    const unsigned* end_ = nullptr;
    unsigned barrier_count_ = 0;
    Dimensions block_index_;
    std::uint64_t block_ = 0; ///< the same as a number
    std::uint64_t blocks_begun_ = 0;
    Region static_shared_;
    std::chrono::steady_clock::time_point progress_; ///< when the block began, or last met
    std::vector<Round> rounds_; ///< by thread, of a block that takes long since then
};

inline constexpr unsigned mask_digits = warp_lanes / 4; ///< hexadecimal ones

/// True of one place in the source.
[[nodiscard]] bool same_line(const SourceLine& one, const SourceLine& other);

/// The worker of the calling thread while it runs a kernel, else null.
extern __thread Worker* current_worker;

} // namespace cpu_device
