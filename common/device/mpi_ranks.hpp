/// \file
/// The processes of a program that mpirun or srun has started several times, joined by MPI.
#pragma once

#include "common/device/ranks.hpp"

#include <memory>

namespace common {

/// Has ranks() be those of MPI_COMM_WORLD, from its constructor to its destructor, where a launcher
/// has started several processes. One process asks nothing of MPI.
///
/// A rank that ends before its work is done ends the whole job, with a message of MPI's that names
/// it; what end_program() prints begins with the rank.
class MpiRanks
{
  public:
    static constexpr unsigned most = 512; ///< ranks: sums of so many inputs are exact in any order

    /// Initializes MPI. Ends the program with status 3 where the build has found no MPI, or another
    /// one than the launcher's; with status 2 for more than `most` ranks.
    MpiRanks();
    MpiRanks(const MpiRanks&) = delete;
    MpiRanks& operator=(const MpiRanks&) = delete;
    ~MpiRanks();

  private:
    std::unique_ptr<Ranks> joined_; ///< null for one process
};

} // namespace common
