/// \file
/// What JavaScript asks: the rewriter's C++ of a program, the check of an exercise as ./run
/// exercise has it, and what a whole program moved.
#include "browser/exercises/goals.hpp" // of all exercises: made when this is built
#include "browser/exercises/page.hpp"
#include "common/device/device.hpp"
#include "common/exercise/attempt.hpp"
#include "common/exercise/trial.hpp"
#include "own_program/accesses.hpp"
#include "own_program/shapes.hpp"
#include "own_program/summary.hpp"

#include <cpu_device/launches.hpp>
#include <cpu_device/settings.hpp>

#include <string>
#include <string_view>

/// Hands a report of try_answer() over.
IMPORT(report) void page_report(const char* report, std::size_t bytes);

namespace {

const common::Outcome* outcome = nullptr;

using page::text;

} // namespace

/// No nvcc has told of any.
int own_program::registers_of(const std::string&)
{
    return 0;
}

double own_program::atomics_left(const Accesses&)
{
    return 1;
}

/// Tries the answer to the exercise whose number is in the room.
EXPORT(check) void check()
{
    for (const auto& [number, goals] : exercises)
        if (number == text.c_str())
            common::try_answer(goals, [](const std::string& report, const common::Outcome& now) {
                outcome = &now;
                page_report(report.data(), report.size());
            });
}

/// Prepares for a whole program, whose output has so many columns; `watched`: its threads can be
/// made to wait for each other, which shows their races.
EXPORT(prepare) void prepare(std::size_t columns, bool watched)
{
    page::output_columns = columns;
    common::model_card(*own_program::modelled_card());
    own_program::watch_accesses();
    own_program::watch_host();
    cpu_device::settings().watchful = watched;
}

/// What the kernels of a program moved, as ./run ends with.
EXPORT(summary) const char* summary()
{
    text = own_program::summary(cpu_device::launches());
    return text.c_str();
}

/// Of a check that was ended without a sentence.
EXPORT(conclude) void conclude()
{
    const std::string report = common::report(common::finished, "", *outcome);
    page_report(report.data(), report.size());
}
