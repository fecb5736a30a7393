/// \file
/// What a kernel has to compute, with everything needed to check it.
#pragma once

#include "common/problem/verify.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace common {

/// The options of the command line that problems need.
struct Setting
{
    std::size_t n = 0;      ///< elements of an array, unless a problem says otherwise
    std::uint64_t seed = 0; ///< seed of the inputs
};

/// A task: its inputs, an output between canaries, and the reference that the output must equal.
///
/// Chapter::run() calls allocate() for the first variant that runs, and for each variant poison()
/// before and verify() after its launch: a kernel that leaves an element unwritten, writes a wrong
/// one or writes past either end fails. Before allocate() pointers are null; `--list` never calls
/// it.
class Problem
{
  public:
    Problem(const Problem&) = delete;
    Problem& operator=(const Problem&) = delete;
    virtual ~Problem() = default;

    /// The operation in a word or two: "add", "transpose". Only rows of the same task are compared.
    [[nodiscard]] const std::string& task() const { return task_; }
    /// Allocates the memory and generates the inputs, in the first call. Throws CudaError.
    void allocate()
    {
        if (!std::exchange(allocated_, true))
            make_arrays();
    }
    /// Fills the output and its canaries with a pattern that no correct result contains.
    virtual void poison() = 0;
    /// Compares every element of the output, bit for bit, and the canaries.
    [[nodiscard]] virtual Verdict verify() = 0;
    /// Bytes that any solution must move: each input read once, each output written once. 0 if the
    /// row measures something else, such as a latency; it then has no bandwidth.
    [[nodiscard]] virtual std::uint64_t bytes() const = 0;
    /// True if several devices share the work: the bandwidth is then not compared with one GPU's.
    [[nodiscard]] virtual bool spans_devices() const { return false; }
    /// True if the timed work of every variant crosses a link, to the host or to another device:
    /// the link then bounds its time, not the caches.
    [[nodiscard]] virtual bool crosses_link() const { return spans_devices(); }
    /// Number of operations whose time becomes a column, such as dependent loads or additions to
    /// counters; 0 for no such column.
    [[nodiscard]] virtual std::uint64_t operations() const { return 0; }
    /// Elements of the output.
    [[nodiscard]] virtual std::size_t size() const = 0;

  protected:
    /// A problem of that task.
    explicit Problem(std::string task) : task_(std::move(task)) {}

  private:
    /// Allocates and generates, for allocate().
    virtual void make_arrays() = 0;

    std::string task_;
    bool allocated_ = false;
};

} // namespace common
