/// \file
/// The check of an exercise for JavaScript: rewrites an answer for the compiler, launches its
/// kernels and states the goals, as ./run exercise does.
#include "browser/exercises/goals.hpp" // of all exercises: made when this is built
#include "common/exercise/attempt.hpp"
#include "common/exercise/trial.hpp"
#include "core/kernels.hpp"
#include "cpu_device/detail/builtins.hpp"
#include "rewriter/rewriter.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>
#include <typeinfo>

#define EXPORT(name) extern "C" __attribute__((export_name(#name)))
#define IMPORT(name) extern "C" __attribute__((import_module("page"), import_name(#name)))

/// Runs one thread of the answer's kernel.
IMPORT(thread) void page_thread(unsigned body, void* context);
/// Hands a report of try_answer() over.
IMPORT(report) void page_report(const char* report, std::size_t bytes);
/// Ends what runs, with a sentence; without one, where the goals that follow mean nothing.
IMPORT(thrown) void page_thrown(const char* sentence);

namespace {

const common::Outcome* outcome = nullptr;
std::string text; // that JavaScript reads

struct Thread
{
    unsigned body;
    void* context;
};

} // namespace

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
    text = launch_rewriter::rewrite(text.c_str(), "answer.cu", declarations);
    return text.c_str();
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

/// Of a check that was ended without a sentence.
EXPORT(conclude) void conclude()
{
    const std::string report = common::report(common::finished, "", *outcome);
    page_report(report.data(), report.size());
}

/// A launch: `sizes` are those of the grid and of a block.
EXPORT(figures_launch)
void figures_launch(const char* kernel, int line, const unsigned* sizes, std::size_t shared_bytes,
                    unsigned body, void* context)
{
    cpu_device::LaunchConfiguration configuration;
    configuration.kernel = kernel;
    configuration.file = "answer.cu";
    configuration.line = line;
    configuration.grid = {sizes[0], sizes[1], sizes[2]};
    configuration.block = {sizes[3], sizes[4], sizes[5]};
    configuration.dynamic_shared_bytes = shared_bytes;
    Thread thread{body, context};
    cpu_device::run_in_stream(nullptr, [&] {
        cpu_device::set_launch_error(cpu_device::launch(
            configuration,
            [](void* one) {
                const Thread& thread = *static_cast<const Thread*>(one);
                page_thread(thread.body, thread.context);
            },
            &thread));
    });
}

EXPORT(figures_barrier) void figures_barrier(int line)
{
    cpu_device::barrier(false, {"answer.cu", line});
}
