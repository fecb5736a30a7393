#include "common/run/runner.hpp"

#include "common/device/device.hpp"

namespace common {

Row make_row(const Declared& declared, bool ask)
{
    const auto& [variant, problem, launch, kind] = declared;
    Row row;
    row.variant = variant.name;
    row.task = variant.task.empty() ? problem.task() : variant.task;
    row.unmodelled = variant.unmodelled;
    row.library = kind == Kind::library;
    if ((ask || variant.threads.known()) && variant.threads() > 0)
        row.parameters.push_back({"threads", variant.threads()});
    for (const Column& column : variant.columns)
        if (ask || column.parameter.known())
            row.parameters.push_back(column.parameter());
    row.parameters.push_back({"n", problem.size()});
    row.bytes = problem.bytes();
    if (problem.operations() > 0)
        row.operations = problem.operations();
    return row;
}

std::string obstacle(const Declared& row)
{
    return backend() == Backend::cpu && row.kind == Kind::library ? gpu_only_note
                                                                  : row.variant.unavailable();
}

} // namespace common
