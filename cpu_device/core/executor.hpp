/// \file
/// Runs the blocks of a launch, one after the other, on one thread of the host.
#pragma once

#include "core/block_scheduler.hpp"
#include "core/request_log.hpp"

#include <atomic>
#include <functional>
#include <string>

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
    PartialBarrier partial_barrier;    ///< of the first block that has one
    std::string advice;                ///< LaunchRecord::advice
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

    /// Before a volatile access of the thread that runs, to shared or global memory: the lanes of
    /// its warp make it in step.
    void step(std::uintptr_t pc, std::uintptr_t address, bool writes);
    /// Threads wait for each other in a way that no barrier tells.
    void note_other_order() { races_.give_up(); }
    [[nodiscard]] bool counts() const { return launch_.counted; }
    [[nodiscard]] void* dynamic_shared() const { return dynamic_shared_; }
    [[nodiscard]] Tracer& tracer() { return tracer_; }
    [[nodiscard]] BlockScheduler& scheduler() { return scheduler_; }

    /// "kernel add (launched at add.cu:31), block (1, 0, 0), thread (5, 0, 0)"; or no thread.
    [[nodiscard]] std::string whereabouts(bool of_thread = true) const;
    /// A sentence if an access of the running thread would be one to its own row, were the pitch of
    /// the allocation in elements of `bytes`; else empty.
    [[nodiscard]] std::string advice_on_pitch(const Allocation& allocation, std::uintptr_t address,
                                              std::size_t bytes) const;

  private:
    void begin_block(std::uint64_t block);
    /// Lets the threads go on that wait for the block. False if all have returned.
    bool finish_barrier();

    KernelRun launch_;
    Tracer tracer_;
    BlockRaces races_;
    BlockScheduler scheduler_;
    BlockFindings found_;
    std::byte* dynamic_shared_ = nullptr;
    Region static_shared_;
    std::uint64_t block_ = 0;
    Dimensions block_index_; ///< the same as an index
    bool tracing_ = false;   ///< the last of the traces found is of the block that runs
    bool watched_ = false;   ///< its accesses are compared with each other,
    bool compared_ = false;  ///< or with those of other blocks
};

/// The worker of the calling thread while it runs a kernel, else null.
extern __thread Worker* current_worker;

} // namespace cpu_device
