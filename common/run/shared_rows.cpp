#include "common/run/shared_rows.hpp"

#include <string>

namespace common {

void SharedRows::run(Variant row, Problem& problem, const Launch& launch)
{
    if (prepare(row, team.spans_processes() ? "needs all GPUs in one process" : needs_two()))
        chapter.run(row, problem, launch);
}

void SharedRows::run_transfer(Variant row, Problem& problem, const Launch& work)
{
    if (prepare(row, needs_two()))
        chapter.run_transfer(row, problem, work);
}

void SharedRows::run_between_processes(Variant row, Problem& problem, const Launch& work)
{
    row.model_excluded_reason = "the model has no interconnect between processes";
    if (team.spans_processes())
        chapter.run_transfer(row, problem, work);
}

void SharedRows::run_library(Variant row, Problem& problem, const Launch& launch)
{
    if (prepare(row, needs_two()))
        team.size() < 2 ? chapter.run(row, problem, launch)
                        : chapter.run_library(row, problem, launch);
}

bool SharedRows::prepare(Variant& row, const std::string& needs)
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

} // namespace common
