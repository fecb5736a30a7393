/// \file
/// Rows that take two devices.
#pragma once

#include "common/device/team.hpp"
#include "common/run/chapter.hpp"

#include <set>
#include <string>

namespace common {

/// A row of one device that uses the memory of another, or its own. Columns say which they are, and
/// what the runtime says of the way: a rank, and whether atomics work. It cannot run without peer
/// access, which all devices have while it does.
[[nodiscard]] inline Variant row_across(Team& team, const Way& way)
{
    const auto [k, j] = way;
    const auto ask = [&team, k = k, j = j](cudaDeviceP2PAttr which, int of_own) {
        return k == j ? of_own : team.peer_attribute(k, j, which);
    };
    return {
        .name = {}, // is the caller's
        .columns = {{"runs_on", k},
                    {"memory_of", j},
                    {"rank", [ask] { return ask(cudaDevP2PAttrPerformanceRank, 0); }},
                    {"atomics",
                     [ask]() -> std::string {
                         return ask(cudaDevP2PAttrNativeAtomicSupported, 1) ? "yes" : "no";
                     }}},
        .unavailable = [&team, k = k,
                        j = j] { return k == j || team.can_access(k, j) ? "" : "no peer access"; },
        .setup = [&team] { team.peer_access(team.size() > 1); }};
}

/// Runs rows that several devices share, with peer access between all of them unless a row has a
/// setup of its own. Where there is one device, or each has a process of its own, each variant that
/// cannot run says once what it needs.
class SharedRows
{
  public:
    /// Keeps both, which must outlive it. The team is that of Chapter::devices().
    SharedRows(Chapter& of, Team& shared_by) : chapter(of), team(shared_by) {}

    /// Chapter::run().
    void run(Variant row, Problem& problem, const Launch& launch)
    {
        if (prepare(row, team.spans_processes() ? "needs all GPUs in one process" : needs_two()))
            chapter.run(row, problem, launch);
    }
    /// Chapter::run_transfer().
    void run_transfer(Variant row, Problem& problem, const Launch& work)
    {
        if (prepare(row, needs_two()))
            chapter.run_transfer(row, problem, work);
    }
    /// The same, where each device has a process of its own; elsewhere there is no such row.
    void run_between_processes(Variant row, Problem& problem, const Launch& work)
    {
        row.unmodelled = "it knows nothing of what joins processes";
        if (team.spans_processes())
            chapter.run_transfer(row, problem, work);
    }
    /// Chapter::run_library().
    void run_library(Variant row, Problem& problem, const Launch& launch)
    {
        if (prepare(row, needs_two()))
            team.size() < 2 ? chapter.run(row, problem, launch)
                            : chapter.run_library(row, problem, launch);
    }

    Chapter& chapter; ///< for rows that take one device
    Team& team;       ///< of one device, where there is no second

  private:
    [[nodiscard]] const char* needs_two() const { return team.size() < 2 ? "needs two GPUs" : ""; }

    /// False where a row that needs something else has been named.
    bool prepare(Variant& row, const std::string& needs)
    {
        if (!row.setup && !team.spans_processes())
            row.setup = [this] { team.peer_access(true); };
        if (needs.empty())
            return true;
        row.threads = 0u;
        row.columns.clear();
        row.task = "of several GPUs";
        row.unavailable = needs;
        return !chapter.wants(row) || named_.insert(row.name).second;
    }

    std::set<std::string> named_;
};

} // namespace common
