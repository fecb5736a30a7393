/// \file
/// The threads of a block, and what each of them waits for.
#pragma once

#include "core/host.hpp"
#include "core/tracer.hpp"
#include "cpu_device/device_limits.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace cpu_device {

struct Thread
{
    unsigned number = 0; ///< in the block
    Dimensions index;
    host::Fiber* fiber = nullptr; ///< where it is suspended
    SourceLine where;             ///< what it waits at
    unsigned mask = 0;
    bool predicate = false;
    bool of_grid = false;   ///< the barrier is one of the whole grid
    bool has_met = true;    ///< others, since SpinWatch saw it last
    bool looked_at = false; ///< by SpinWatch, at its next access
    std::uint64_t value = 0;
    const WarpValues* values = nullptr;
    unsigned steps = 0;       ///< volatile stores to shared memory since it last met others
    unsigned clock_reads = 0; ///< likewise
    unsigned waits = 0;       ///< for other lanes, of those that run in step

    [[nodiscard]] unsigned lane() const { return number % warp_lanes; }
    /// It meets others by a call that says so.
    void meet()
    {
        has_met = true;
        steps = 0;
        clock_reads = 0;
    }
};

struct Warp
{
    /// Where the lanes are. The one that runs right now is nowhere.
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

class BlockThreads
{
  public:
    std::vector<Thread> threads; ///< by number
    std::vector<Warp> warps;
    std::vector<unsigned> warp_order;
    std::vector<unsigned> lane_order; ///< thread numbers, warp by warp

    void begin_launch(const Dimensions& block);
    /// `order`: seed of the order of lanes and warps; 0 is ascending.
    void begin_block(std::uint64_t block, std::uint64_t order);
    [[nodiscard]] bool is(const Thread& thread, Warp::State state) const
    {
        return warps[thread.number / warp_lanes].lanes[state] >> thread.number % warp_lanes & 1;
    }
    /// Those that have not returned.
    [[nodiscard]] std::vector<const Thread*> live() const;

    /// Lets the lanes of the warp go on of whose masks all have come. False if none can.
    bool finish_exchanges(Warp& warp);
    /// The same for those that wait to see which come to the same active_mask().
    void finish_gathering(Warp& warp);
    /// Lets those go on that are the next to print.
    void finish_turn(Warp& warp);
    /// What lanes have exchanged is in this memory.
    [[nodiscard]] Region exchanged() const
    {
        return {reinterpret_cast<std::uintptr_t>(&exchanged_), sizeof exchanged_};
    }

    /// What `first` and others wait at, while some wait elsewhere.
    [[nodiscard]] std::string describe_divergence(const Thread& first) const;
    /// That `first` and others pass a barrier of the block that not all threads have reached.
    [[nodiscard]] std::string describe_partial_barrier(const Thread& first) const;

  private:
    [[nodiscard]] bool wait_together(const Thread& one, const Thread& other) const;
    [[nodiscard]] std::string describe_wait(const Thread& thread) const;

    /// By the first lane that takes part.
    std::array<WarpValues, DeviceLimits::max_threads_per_block> exchanged_;
};

inline constexpr unsigned mask_digits = warp_lanes / 4; ///< hexadecimal ones

/// True of one place in the source.
[[nodiscard]] bool same_line(const SourceLine& one, const SourceLine& other);

} // namespace cpu_device
