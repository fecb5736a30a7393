/// \file
/// Rows that take two devices.
#pragma once

#include "common/device/team.hpp"
#include "common/run/chapter.hpp"

#include <set>
#include <string>
#include <utility>

namespace common {

/// Runs rows that several devices share, with peer access between all of them unless a row has a
/// setup of its own. Where there is one device, each variant says once what it needs.
class SharedRows
{
  public:
    SharedRows(Chapter& of, Team& shared_by) : chapter(of), team(shared_by) {}

    /// Chapter::run().
    void run(Variant variant, Problem& problem, Work work)
    {
        if (prepare(variant, work))
            chapter.run(variant, problem, work);
    }
    /// Chapter::run_transfer().
    void run_transfer(Variant variant, Problem& problem, Work work)
    {
        if (prepare(variant, work))
            chapter.run_transfer(variant, problem, work);
    }
    /// Chapter::run_library().
    void run_library(Variant variant, Problem& problem, const Launch& launch)
    {
        Work work{launch};
        if (!prepare(variant, work))
            return;
        if (team.size() < 2)
            chapter.run(variant, problem, work);
        else
            chapter.run_library(variant, problem, launch);
    }

    Chapter& chapter;
    Team& team;

  private:
    bool prepare(Variant& variant, Work& work)
    {
        if (!work.setup)
            work.setup = [this] { team.peer_access(true); };
        if (team.size() >= 2)
            return true;
        variant.threads = 0u;
        variant.columns.clear();
        variant.task = "of several GPUs";
        variant.unavailable = std::string("needs two GPUs");
        return named_.insert(variant.name).second;
    }

    std::set<std::string> named_;
};

} // namespace common
