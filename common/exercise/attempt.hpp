/// \file
/// What an exercise asks of an answer.
#pragma once

#include "common/device/device.hpp"
#include "common/problem/problem.hpp"

#include <cpu_device/counts.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace common {

using cpu_device::Counts; // in the words of goals

struct RequestKind;

/// One goal of an exercise, and its result.
struct Goal
{
    /// The result of a goal.
    enum class State
    {
        unchecked, ///< a goal before it was missed
        held,
        missed,
        elsewhere ///< this device cannot check it
    };
    std::string name;               ///< a word, by which tests request it: "right", "launches"
    std::string text;               ///< a clause: "one kernel launch"
    State state = State::unchecked; ///< its result
    std::string evidence = {};      ///< why a goal was missed, or the figure of one that was met
};

/// One trial of an answer: a size, a seed and an order of lanes. The goals of an exercise are a
/// function that is called for each trial, and each time states all goals, in the order in which a
/// reader should see them:
///
///     void goals(common::Attempt& attempt)
///     {
///         common::VectorAdd problem(attempt);
///         attempt.run(problem, [&] { solve(problem.a, problem.b, problem.c, problem.n); });
///         attempt.launches(1);
///         attempt.sectors_per_load(4);
///     }
///
/// One more call lists the goals: it allocates and launches nothing, pointers are null, and no goal
/// can be missed. Goals are therefore stated without an `if` around them.
class Attempt
{
  public:
    using Solve = std::function<void()>; ///< calls the answer, which may queue work and return

    Attempt(const Attempt&) = delete;
    Attempt& operator=(const Attempt&) = delete;

    /// The size and the seed of the attempt, for problems.
    operator Setting() const { return {n_, seed_}; }
    /// Elements of an array: 1, a prime, a power of two, one more than that, and 1,000,003.
    [[nodiscard]] std::size_t n() const { return n_; }

    /// States that the answer works on several devices: `most` on the CPU device, up to `most` on
    /// GPUs. Returns how many. Call it first. With fewer than two GPUs no goal can be checked.
    unsigned needs_devices(unsigned most);
    /// Runs an answer that works on the device, from device memory to device memory. Four goals:
    ///
    /// - `runs`: it ends without a kernel fault, a CUDA error or a crash, and leaves the current
    ///   device unchanged.
    /// - `kernels`: kernels do the work. Nothing is copied to or from the host; the kernels touch
    ///   as many sectors as inputs and outputs have; if these are many, a grid has at least four
    ///   blocks, a warp more than one active lane, and most warps load or store (CPU device).
    /// - `right`: every element is right and nothing is written around the output, at each size and
    ///   with each seed.
    /// - `order`: the same with the lanes in another order, without relying on what CUDA does not
    ///   guarantee, such as a shuffle from a lane that has returned, or a kernel that waits for
    ///   what another stream runs (CPU device).
    void run(Problem& problem, const Solve& solve);
    /// The same for an answer that moves data between host and device: `kernels` then allows
    /// copies, and requires them if inputs and output are in host memory. Whether all work has
    /// finished when `solve` returns is the goal waits().
    void run_transfer(Problem& problem, const Solve& solve);

    /// `launches`: exactly `count` kernels are launched. (CPU device, as are all counts.)
    void launches(std::size_t count);
    /// `threads`: all launches together have at most `needed` threads, rounded up to whole blocks
    /// of the answer's block size, and one more block.
    void threads_at_most(std::size_t needed);
    /// `enough_threads`: all launches together have at least `count` threads.
    void threads_at_least(std::size_t count);
    /// `block`: every launch has `count` threads per block.
    void threads_per_block(std::size_t count);
    /// `loads`, `stores`: the lanes load, or store, at most `bytes` bytes of global memory; with
    /// the size of the arrays, each element once.
    void loads_at_most(std::uint64_t bytes);
    void stores_at_most(std::uint64_t bytes);
    /// `load_sectors`, `store_sectors`: at most `most` sectors per request, on average. The
    /// evidence is the request of the first warp that touches the most sectors.
    void sectors_per_load(double most);
    void sectors_per_store(double most);
    /// `load_requests`, `store_requests`: warp-wide loads and stores of global memory, for wide
    /// accesses.
    void load_requests_at_most(std::uint64_t most);
    void store_requests_at_most(std::uint64_t most);
    /// `link`: kernels read and write at most `most` bytes of other devices' memory, in whole
    /// sectors.
    void link_bytes_at_most(std::uint64_t most);
    /// `in_flight`: for large n, a warp issues loads of at least `least` bytes of global memory, on
    /// average, before it uses one of them, or before it waits for an asynchronous copy. The order
    /// of the source counts, as for a compiler that cannot know whether a store changes what is
    /// loaded next; a loop of more than 32 iterations without a store counts as unrolled by four. A
    /// tenth less is accepted, for incomplete iterations.
    void bytes_in_flight(std::uint64_t least);
    /// `shared_loads`: at most `most` warp-wide loads from shared memory.
    void shared_loads_at_most(std::uint64_t most);
    /// `conflicts`: no request to shared memory, an atomic included, takes more wavefronts than it
    /// needs.
    void no_bank_conflicts();
    /// `local`: nothing is loaded from local memory, where the compiler puts an array whose index
    /// is not a constant.
    void keeps_arrays_in_registers();

    /// `waits`: when the answer returns, all work that it queued has finished. (CPU device.)
    void waits();
    /// `host`: the host accesses its memory, as noted by note_host_work(), or unlocks it, only
    /// after the copies and kernels that use it have finished. (CPU device.)
    void host_waits();
    /// `ordered`: by streams, events and waits, each kernel runs after the copies to its device,
    /// from the host or another device, that were queued before it, and each copy to the host after
    /// the kernels queued before it; where work is cut into pieces, those of the same piece:
    /// `pieces` says how many there are, and the k-th of as many equal shares of the copies in,
    /// kernels and copies out belong together. (CPU device.)
    void ordered(std::size_t pieces = 1);
    /// `overlaps`: no copy to the device waits for a kernel or a copy to the host of the piece
    /// before, nor the other way round; pieces are those of ordered(). (CPU device.)
    void overlaps(std::size_t pieces);

    /// `independent`: no kernel waits for a kernel of another device, and no copy between devices
    /// waits for a kernel. (CPU device.)
    void kernels_are_independent();

    /// `copy_share`: on 2^26 elements, at least the share `least` (0 to 1) of a copy's bandwidth. A
    /// GPU compares with cudaMemcpyAsync in the same run. The CPU device uses the modelled time,
    /// and reports a miss only if it exceeds the model's ninth-decile error for rows with the same
    /// limit; without measured rows it cannot check the goal.
    void share_of_copy(double least);
    /// Calls the answer with `n` elements, of which the arrays hold only those from `first` on.
    using Shifted = std::function<void(std::size_t n, std::size_t first)>;
    /// `far`: on 2^33 elements, the blocks in the middle of the grid access the right elements,
    /// where 32-bit indices wrap around. Not checked for threads with more than 32 elements. (CPU
    /// device.)
    ///
    ///     attempt.past_32_bits([&](std::size_t n, std::size_t first) {
    ///         solve(problem.a - first, problem.c - first, n);
    ///     });
    void past_32_bits(const Shifted& solve);
    /// A goal of that name: the answer can be launched for arrays of a shape that would take too
    /// long to compute here. Runs a sample of its blocks, on 2^22 elements. (CPU device.)
    void takes(const std::string& name, const std::string& shape, const Solve& solve);

    /// A kernel that the reader identifies by its counts.
    struct Candidate
    {
        std::string kernel;      ///< its name in the reader's file
        char row;                ///< its row of the table: 'A', 'B', ...
        char answer;             ///< the reader's answer; '?' before there is one
        Solve launch;            ///< launches it
        std::string figure = {}; ///< the entry of its row in the column that is not counted
    };
    /// `answers`: the reader has said which row of a table each kernel has made. What is wrong is
    /// counted and not named, and only when every kernel has a row: letters cannot be tried one by
    /// one. Instead of run():
    /// launches each once on the arrays of `problem`, whatever it does to them, and shows a table
    /// of the counts named in `columns`: a Counter::name, or "load_sectors_per_request" and its
    /// like for stores. So the table is counted anew each time. With a heading for them it has the
    /// candidates' figures, too. On a GPU there is no table, and the answers alone are judged.
    void rows(Problem& problem, const std::vector<std::string>& columns,
              const std::vector<Candidate>& candidates, const std::string& figures = {});

    /// `freed`: when the answer returns, it has given back the device memory that it requested.
    void frees_memory();
    /// `pinned`: nothing is copied from or to pageable memory. (CPU device.)
    void copies_from_pinned();
    /// `host`: the host waits for no stream, event or device. (CPU device.)
    void host_never_waits();

    /// A goal of the exercise's own about a figure of counts() or operations(). Its evidence is "8
    /// sectors are loaded, and 4 would do.", where `unit` is "sectors are loaded".
    void at_most(const std::string& name, const std::string& text, const std::string& unit,
                 std::uint64_t value, std::uint64_t most);
    /// A goal of the exercise's own, on what run() left. `evidence` says why it is missed.
    void goal(const std::string& name, const std::string& text, bool held,
              const std::string& evidence);
    /// The same, for what follows from counts() or operations(): a GPU cannot tell.
    void counted_goal(const std::string& name, const std::string& text, bool held,
                      const std::string& evidence);
    /// What the answer asked of the runtime in the last run(), in order; empty on a GPU.
    [[nodiscard]] const std::vector<Operation>& operations() const { return operations_; }
    /// Of the launches of the last run(), all together; zeros on a GPU.
    [[nodiscard]] const cpu_device::Counts& counts() const { return counts_; }
    /// True on the CPU device, unless the goals are only being listed: counts() means something.
    [[nodiscard]] bool counted() const;

  private:
    friend class Check;
    enum class Mode
    {
        list, ///< only names the goals
        ascending,
        shuffled, ///< lanes in another order
        measured, ///< on a GPU
        modelled, ///< a sample of the blocks of large arrays, which hold nothing (CPU device)
        far       ///< likewise, for past_32_bits() and takes(), which alone run anything
    };
    struct Stop
    {}; ///< thrown where the goals that follow mean nothing
    static constexpr const char* needs_cpu_device = "counted on the CPU device only: --device cpu";

    Attempt(std::vector<Goal>& goals, Mode mode, std::size_t n, std::uint64_t seed)
        : goals_(goals), mode_(mode), n_(n), seed_(seed)
    {}
    Goal& next(const std::string& name, const std::string& text);
    void settle(Goal& goal, bool held, const std::string& figure, const std::string& evidence);
    [[noreturn]] void miss(Goal& goal, const std::string& evidence);
    void counted_goal(const std::string& name, const std::string& text, bool held,
                      const std::string& figure, const std::function<std::string()>& evidence);
    void run(Problem& problem, const Solve& solve, bool transfer);
    Verdict launch(Problem& problem, const Solve& solve);
    void sectors(bool load, double most);
    [[nodiscard]] std::string when() const;
    [[nodiscard]] std::uint64_t threads() const; ///< of all grids
    [[nodiscard]] static std::uint64_t product(const std::array<unsigned, 3>& size)
    {
        return std::uint64_t{size[0]} * size[1] * size[2];
    }
    [[nodiscard]] static std::uint64_t warps(const LaunchRecord& record)
    {
        return (product(record.block) + 31) / 32 * product(record.grid);
    }
    /// True where blocks are only sampled: no goal but one of its own is judged then.
    [[nodiscard]] bool sampled() const { return mode_ == Mode::modelled || mode_ == Mode::far; }
    void run_sample();
    void share_of_modelled_copy(Goal& goal, double least);
    void settle_by_sample(Goal& goal, const std::string& not_told, const std::string& now,
                          const Solve& call);
    /// The launches of another call of the answer, with their traffic.
    [[nodiscard]] std::vector<LaunchRecord> looked_at_closely();
    [[nodiscard]] std::string worst_request(RequestKind kind, double limit);

    std::vector<Goal>& goals_;
    Mode mode_;
    std::size_t n_;
    std::uint64_t seed_;
    std::size_t next_ = 0; ///< in goals_
    int devices_ = 1;      ///< that the answer works on
    bool too_few_ = false; ///< of them
    Problem* problem_ = nullptr;
    Solve solve_;
    cpu_device::Counts counts_;
    std::vector<LaunchRecord> launches_;
    std::vector<Operation> operations_;
    int in_use_ = 0;       ///< device, when the answer returned
    std::size_t kept_ = 0; ///< bytes of device memory that the answer has not given back
    /// In which attempt an answer that crashes did, and which goal it misses by that.
    std::function<void(const std::string&, const std::string&)> tell_;
    std::string shown_; ///< what the reader is to see besides the goals
};

} // namespace common
