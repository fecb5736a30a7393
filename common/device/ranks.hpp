/// \file
/// The processes of a program: one, or one for each GPU.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace common {

/// The processes of a program, each with a number, its rank. This class is a program of a single
/// process, in which every call returns at once; MpiRanks joins several. All ranks have to make the
/// same collective calls, in the same order.
class Ranks
{
  public:
    Ranks() = default;
    Ranks(const Ranks&) = delete;
    Ranks& operator=(const Ranks&) = delete;
    virtual ~Ranks() = default;

    [[nodiscard]] unsigned rank() const { return rank_; } ///< of this process, below size()
    [[nodiscard]] unsigned size() const { return size_; } ///< processes

    /// Returns the texts of all ranks, by rank.
    [[nodiscard]] virtual std::vector<std::string> gather(const std::string& mine)
    {
        return {mine};
    }
    /// Copies `count` bytes from rank 0 to all others.
    virtual void broadcast(void* /*bytes*/, std::size_t /*count*/) {}
    /// Replaces the n floats of every rank by their sums over all ranks.
    virtual void add_up(float* /*values*/, std::size_t /*n*/) {}
    /// Returns the largest number of all ranks.
    [[nodiscard]] virtual double largest(double mine) { return mine; }
    /// Returns when all ranks have called it.
    virtual void barrier() {}
    /// Leaves the other ranks: from here on this is a single process.
    virtual void leave() {}

    /// Returns the first text that is not empty, with its rank: "rank 1: FAILED"; without the rank
    /// if the texts of all ranks are equal.
    [[nodiscard]] std::string first_said(const std::string& mine);

    /// Has queue_barrier() call `queue`.
    void set_queue_barrier(std::function<void(cudaStream_t)> queue)
    {
        queue_barrier_ = std::move(queue);
    }
    /// Queues a barrier of all ranks' streams, if set_queue_barrier() was called, so that the work
    /// timed after it begins at the same time on all of them.
    void queue_barrier(cudaStream_t stream) const
    {
        if (queue_barrier_)
            queue_barrier_(stream);
    }

  protected:
    unsigned rank_ = 0; ///< of this process
    unsigned size_ = 1; ///< processes

  private:
    std::function<void(cudaStream_t)> queue_barrier_;
};

/// The ranks of this program: those of MpiRanks while there is one.
[[nodiscard]] Ranks& ranks();
/// Makes ranks() return these; null for the single process.
void use_ranks(Ranks* all);

} // namespace common
