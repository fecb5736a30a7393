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

/// The processes of a program, each with a number: its rank. This class is the one process of a
/// program that nobody has started several times, where everything returns at once; MpiRanks are
/// several. What takes all ranks has to be called by all, in the same order.
class Ranks
{
  public:
    Ranks() = default;
    Ranks(const Ranks&) = delete;
    Ranks& operator=(const Ranks&) = delete;
    virtual ~Ranks() = default;

    [[nodiscard]] unsigned rank() const { return rank_; } ///< of this process, below size()
    [[nodiscard]] unsigned size() const { return size_; } ///< processes

    /// What each rank says, in the order of their ranks.
    [[nodiscard]] virtual std::vector<std::string> gather(const std::string& mine)
    {
        return {mine};
    }
    /// Copies the `count` bytes of rank 0 to all others.
    virtual void broadcast(void* /*bytes*/, std::size_t /*count*/) {}
    /// Adds up the n floats of all ranks, in place: each rank has the sums.
    virtual void add_up(float* /*values*/, std::size_t /*n*/) {}
    /// The largest of the ranks' numbers.
    [[nodiscard]] virtual double largest(double mine) { return mine; }
    /// Returns when all ranks have called it.
    virtual void barrier() {}
    /// Ends what joins the ranks: from here on this is the one process that it knows of.
    virtual void leave() {}

    /// The first of the ranks' texts that is not empty, with the rank that said it, "rank 1:
    /// FAILED"; the text alone where all say it.
    [[nodiscard]] std::string first_said(const std::string& mine);

    /// Has meet() call `queue`.
    void meet_by(std::function<void(cudaStream_t)> queue) { meet_ = std::move(queue); }
    /// Queues a barrier of all ranks' streams, where meet_by() has said how: what is timed behind
    /// it begins at the same time everywhere.
    void meet(cudaStream_t stream) const
    {
        if (meet_)
            meet_(stream);
    }

  protected:
    unsigned rank_ = 0; ///< of this process
    unsigned size_ = 1; ///< processes

  private:
    std::function<void(cudaStream_t)> meet_;
};

/// Those of this program: the MpiRanks, as long as there are any.
[[nodiscard]] Ranks& ranks();
/// Has ranks() return these; null for the one process.
void use_ranks(Ranks* all);

} // namespace common
