/// \file
/// What JavaScript asks: the rewriter's C++ of a program, the check of an exercise as ./run
/// exercise has it, and what a whole program moved.
#include "browser/exercises/goals.hpp" // of all exercises: made when this is built
#include "browser/exercises/host.hpp"
#include "common/device/device.hpp"
#include "common/exercise/attempt.hpp"
#include "common/exercise/trial.hpp"
#include "own_program/accesses.hpp"
#include "own_program/shapes.hpp"
#include "own_program/summary.hpp"
#include "rewriter/rewriter.hpp"

#include <cpu_device/launches.hpp>
#include <cpu_device/settings.hpp>

#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>
#include <typeinfo>

#define EXPORT(name) extern "C" __attribute__((export_name(#name)))
#define IMPORT(name) extern "C" __attribute__((import_module("page"), import_name(#name)))

/// Hands a report of try_answer() over.
IMPORT(report) void page_report(const char* report, std::size_t bytes);
/// Ends what runs, with a sentence; without one, where the goals that follow mean nothing.
IMPORT(thrown) void page_thrown(const char* sentence);

namespace {

constexpr const char* program_file = "answer.cu"; ///< as the compiler is told (answer.js)
const common::Outcome* outcome = nullptr;
std::string text; // that JavaScript reads

} // namespace

// --- what common has of a terminal and of files -------------------------------------------------

namespace common {

static std::size_t output_columns = 100;

std::size_t output_width()
{
    return output_columns;
}
void end_program(int status, std::string message)
{
    std::fprintf(stderr, "%s\n", message.c_str());
    std::_Exit(status);
}

} // namespace common

/// No nvcc has told of any.
int own_program::registers_of(const std::string&)
{
    return 0;
}

// The C++ library for WebAssembly comes without exceptions: whoever throws ends what runs.
extern "C" void* __cxa_allocate_exception(std::size_t bytes)
{
    return std::malloc(bytes);
}
extern "C" void __cxa_throw(void* object, std::type_info* type, void (*)(void*))
{
    const bool stop = std::string_view(type->name()).find("Stop") != std::string_view::npos;
    page_thrown(stop ? nullptr : static_cast<const std::exception*>(object)->what());
    std::abort();
}

/// Room for a text of so many bytes.
EXPORT(room) char* room(std::size_t bytes)
{
    text.assign(bytes, '\0');
    return text.data();
}

/// The source in the room, for a C++ compiler.
EXPORT(rewrite) const char* rewrite()
{
    launch_rewriter::Declarations declarations;
    text = launch_rewriter::rewrite(text.c_str(), program_file, declarations);
    return text.c_str();
}

/// Takes what the room says of the program that the calls below are about.
EXPORT(describe) void describe()
{
    cpu_device::host::describe_program(text.c_str());
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
    common::output_columns = columns;
    common::model_card(*own_program::modelled_card());
    own_program::watch_accesses();
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
