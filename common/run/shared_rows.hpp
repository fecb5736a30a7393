/// \file
/// Rows that take two devices.
#pragma once

#include "common/device/team.hpp"
#include "common/run/chapter.hpp"

#include <set>
#include <string>

namespace common {

/// Runs rows that several devices share, with peer access between all of them unless a row has a
/// setup of its own. Where there is one device, or each has a process of its own, each variant that
/// cannot run says once what it needs.
class SharedRows
{
  public:
    /// Keeps both, which must outlive it. The team is that of Chapter::devices().
    SharedRows(Chapter& of, Team& shared_by) : chapter(of), team(shared_by) {}

    /// Chapter::run().
    void run(Variant row, Problem& problem, const Launch& launch);
    /// Chapter::run_transfer().
    void run_transfer(Variant row, Problem& problem, const Launch& work);
    /// The same, where each device has a process of its own; elsewhere there is no such row.
    void run_between_processes(Variant row, Problem& problem, const Launch& work);
    /// Chapter::run_library().
    void run_library(Variant row, Problem& problem, const Launch& launch);

    Chapter& chapter; ///< for rows that take one device
    Team& team;       ///< of one device, where there is no second

  private:
    [[nodiscard]] const char* needs_two() const { return team.size() < 2 ? "needs two GPUs" : ""; }

    /// False where a row that needs something else has been named.
    bool prepare(Variant& row, const std::string& needs);

    std::set<std::string> named_;
};

} // namespace common
