/// \file
/// The processes of a program that a launcher has started several times, one for each GPU.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace common {

/// What a launcher has told this process.
struct Launched
{
    unsigned rank = 0; ///< its number, below `size`
    unsigned size = 1; ///< processes of the program; 1 where no launcher has started it
};

/// Most ranks: sums of so many of the inputs are exact in any order.
inline constexpr unsigned most_ranks = 512;

/// What the environment says: OMPI_COMM_WORLD_RANK and _SIZE, of Open MPI's mpirun; RANK and
/// WORLD_SIZE, of torchrun, or of whoever starts the processes by hand; PMI_RANK and PMI_SIZE, of
/// MPICH's mpirun; SLURM_PROCID and SLURM_STEP_NUM_TASKS, of srun. Ends the program with status 2,
/// and a sentence, where a number is none, or the rank is not below the size.
[[nodiscard]] Launched launched();

/// All processes of the program. They find each other by rank 0, which listens at MASTER_ADDR
/// (127.0.0.1 unless it is set) and MASTER_PORT (29533) until all have come.
///
/// A rank that does not come, ends before its work is done, or is not heard of for as many seconds
/// as MOVING_BYTES_PATIENCE says (10) ends all others, with status 5 and a sentence that names it:
/// a thread of each process watches, so that nobody waits for it in vain, in a kernel of NCCL
/// either.
///
/// What takes all ranks has to be called by all, in the same order. Until join(), and in a program
/// that nobody has started several times, there is one rank, and all of it returns at once.
class Ranks
{
  public:
    Ranks();
    Ranks(const Ranks&) = delete;
    Ranks& operator=(const Ranks&) = delete;
    ~Ranks();

    /// Waits until all ranks have come. `program` has to be the same for all: its name and
    /// arguments. Ends the program, as above, where one does not come or is another program's, and
    /// with status 2 where rank 0 cannot listen.
    void join(const Launched& as, const std::string& program);
    /// Says that the work of this rank is done. The others may go on.
    void leave();

    [[nodiscard]] unsigned rank() const { return launched_.rank; } ///< of this process
    [[nodiscard]] unsigned size() const { return launched_.size; } ///< of them

    /// What all ranks say, in the order of their ranks, once all have said it. `where` is the place
    /// in the program, which has to be the same for all: otherwise the program ends, as above.
    [[nodiscard]] std::vector<std::string> exchange(std::string_view where, std::string mine);
    /// The first of the texts that is not empty, with the rank that said it, "rank 1: FAILED"; the
    /// text alone where all say it.
    [[nodiscard]] std::string first_said(std::string_view where, const std::string& mine);
    /// The largest of the numbers.
    [[nodiscard]] double largest(double mine);

    /// Notes that this rank has sent so many bytes to another, beside what the ranks say.
    void count_sent(std::uint64_t bytes) { sent_ += bytes; }
    /// What all ranks have sent since the last call.
    [[nodiscard]] std::uint64_t take_sent();

    /// This host's address, by which other ranks reach it.
    [[nodiscard]] std::string address() const;
    /// Seconds for which a rank may be silent.
    [[nodiscard]] double patience() const;
    /// The connection to a rank is broken: ends the program, with the rank that was found to be
    /// lost, which may be another one.
    [[noreturn]] void lose(unsigned rank);

    /// Has `queue` be what meet() queues.
    void meet_by(std::function<void(cudaStream_t)> queue) { meet_ = std::move(queue); }
    /// Queues what no rank's stream passes before all have come to it, if there is such a thing:
    /// what is timed behind it begins at the same time everywhere.
    void meet(cudaStream_t stream) const
    {
        if (meet_)
            meet_(stream);
    }

  private:
    class Connections;

    Launched launched_;
    std::unique_ptr<Connections> connections_;
    std::uint64_t sent_ = 0;
    std::function<void(cudaStream_t)> meet_;
};

/// Those of this program.
[[nodiscard]] Ranks& ranks();

} // namespace common
