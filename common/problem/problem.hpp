/// \file
/// What a kernel has to compute, with everything needed to check it.
#pragma once

#include "common/problem/verify.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace common {

/// What a chapter gives to all its problems.
struct Setting
{
    std::size_t n = 0;      ///< elements of an array, unless a problem says otherwise
    std::uint64_t seed = 0; ///< of the inputs
};

/// A task, with its inputs in memory, an output behind canaries, and what is expected of it.
///
/// Chapter::run() calls allocate() when the first variant comes that needs it, poison() before and
/// verify() after each; a kernel that leaves an element unwritten, writes a wrong one or writes
/// past either end fails. Until then pointers are null, and under `--list` they stay so.
class Problem
{
  public:
    Problem(const Problem&) = delete;
    Problem& operator=(const Problem&) = delete;
    virtual ~Problem() = default;

    /// What is asked of each element, in a word or two: "add", "transpose". What solves a problem
    /// can be set against what solves another of the same task.
    [[nodiscard]] const std::string& task() const { return task_; }
    /// Allocates the memory and makes the inputs, the first time. Throws CudaError.
    void allocate()
    {
        if (!std::exchange(allocated_, true))
            make_arrays();
    }
    /// Fills the output and its canaries with a pattern that no correct result contains.
    virtual void poison() = 0;
    /// Compares every element of the output, bit for bit, and the canaries.
    [[nodiscard]] virtual Verdict verify() = 0;
    /// Bytes that any solution must move: each input read once, each output written once. 0 where
    /// the time is of something else, a launch or a latency; then no bandwidth is made of it.
    [[nodiscard]] virtual std::uint64_t bytes() const = 0;
    /// True where several devices share the work: a bandwidth is then no share of one memory's.
    [[nodiscard]] virtual bool spans_devices() const { return false; }
    /// True where what is timed crosses a link, to the host or to another device, in every variant:
    /// its time is then the link's, not the caches'.
    [[nodiscard]] virtual bool crosses_link() const { return spans_devices(); }
    /// What is done so many times that the time of one is worth a column: loads that wait for each
    /// other, additions to counters; 0 where there is nothing of the kind.
    [[nodiscard]] virtual std::uint64_t operations() const { return 0; }
    /// Elements of the output.
    [[nodiscard]] virtual std::size_t size() const = 0;

  protected:
    /// A problem of that task.
    explicit Problem(std::string task) : task_(std::move(task)) {}

  private:
    /// Does what allocate() promises.
    virtual void make_arrays() = 0;

    std::string task_;
    bool allocated_ = false;
};

} // namespace common
