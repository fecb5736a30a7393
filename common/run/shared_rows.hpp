/// \file
/// Rows that take two devices.
#pragma once

#include "common/device/team.hpp"
#include "common/run/chapter.hpp"

#include <set>
#include <string>

namespace common {

/// Runs rows that several devices share, with peer access between all of them unless a row has its
/// own setup. With a single device, or with a process for each, every variant that cannot run
/// becomes one row that says what it needs.
class SharedRows
{
  public:
    /// Runs rows of a chapter on the team of its Chapter::devices(). Keeps references to both.
    SharedRows(Chapter& of, Team& shared_by) : chapter(of), team(shared_by) {}

    /// Chapter::run().
    void run(Variant row, Problem& problem, const Launch& launch);
    /// Chapter::run_transfer().
    void run_transfer(Variant row, Problem& problem, const Launch& work);
    /// The same, only if each device has a process of its own; otherwise there is no such row.
    void run_between_processes(Variant row, Problem& problem, const Launch& work);
    /// Chapter::run_library().
    void run_library(Variant row, Problem& problem, const Launch& launch);

    Chapter& chapter; ///< for rows that take one device
    Team& team;       ///< the devices, perhaps only one

  private:
    [[nodiscard]] const char* needs_two() const { return team.size() < 2 ? "needs two GPUs" : ""; }

    /// Returns false for a further row of a variant that cannot run.
    bool prepare(Variant& row, const std::string& needs);

    std::set<std::string> named_;
};

} // namespace common
