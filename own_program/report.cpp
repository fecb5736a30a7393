/// \file
/// Linked into a reader's own program, which knows nothing of this project: prints what its
/// kernels moved when it ends, and writes it to the file that MOVING_BYTES_JSON names.
/// MOVING_BYTES_SEED shuffles the order of its warps and lanes.
#include "common/device/device.hpp"
#include "common/device/setting.hpp"
#include "common/model/card.hpp"
#include "common/report/json.hpp"
#include "common/text/atomic_file.hpp"
#include "common/text/format.hpp"
#include "common/text/terminal.hpp"
#include "own_program/accesses.hpp"
#include "own_program/shapes.hpp"
#include "own_program/summary.hpp"

#include <cpu_device/launches.hpp>
#include <cpu_device/settings.hpp>
#include <pthread.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

namespace own_program {
namespace {

common::Modelled modelled_row(const common::ModelledTime& time, const common::LaunchRecord& launch)
{
    const common::Card& card = *modelled_card();
    const double gb_per_s = dram_bytes(launch) / (time.ms * 1e6);
    return {.card = std::string(card.name),
            .ms = time.ms,
            .gb_per_s = gb_per_s,
            .share_of_peak = gb_per_s / card.peak(),
            .limited_by = std::string(time.limited_by),
            .bounds = time.bounds,
            .traffic = launch.traffic,
            .demands = {*demand_of(launch)},
            .bars = {}};
}

void write_json(const std::string& path, const std::vector<common::LaunchRecord>& launches)
{
    common::Results results;
    results.chapter = program_invocation_short_name;
    results.device = common::describe_device();
    results.environment = common::collect_environment();
    for (const common::LaunchRecord& launch : launches) {
        common::Row row = common::row_of(launch);
        if (const auto time = model(launch))
            row.modelled = modelled_row(*time, launch);
        if (launch.counted_blocks != 0)
            row.note = "counts are scaled from a sample: " + sample_of(launch);
        results.rows.push_back(std::move(row));
    }
    common::write_atomically(path, common::results_to_json(results));
}

void write_table(const std::vector<common::LaunchRecord>& launches, bool done = false)
{
    std::fputs(summary(launches, done).c_str(), stdout);
    if (std::fflush(stdout) != 0)
        throw std::system_error(errno, std::generic_category(),
                                "Cannot write the table of kernels to standard output");
}

/// Tells of a call that failed, if the program never asked. One that looks at what each call
/// returns, and ends, has been told no reason.
void tell_of_unread_error(int status)
{
    const auto error = cpu_device::unread_error();
    if (!error)
        return;
    const std::string sentence = "Warning: a runtime call" + error->text +
                                 (status != 0 ? ".\n" : ", which the program did not check.\n");
    std::fputs(common::wrap(sentence, common::text_width()).c_str(), stdout);
    if (error->name == "cudaErrorInvalidDevice")
        std::fputs("With --devices 2 to 4, the program sees several devices.\n", stdout);
}

/// False, after a sentence, if `write` throws.
bool succeeds(auto write)
{
    try {
        write();
        return true;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", common::printable(error.what()).c_str());
        return false;
    }
}

constexpr int ending_signals[] = {SIGINT, SIGTERM, SIGABRT};
bool forked = false;       ///< the process is a child of the program
int wake_up[2] = {-1, -1}; ///< a pipe: from the handler of a signal to the thread that acts on it

void on_signal(int number)
{
    const char byte = static_cast<char>(number);
    [[maybe_unused]] const auto written = write(wake_up[1], &byte, 1);
    constexpr unsigned enough = 30; // seconds, for a report
    if (number == SIGABRT)          // whose handler is not to return before
        sleep(enough);
}

/// Waits for Ctrl-C, SIGTERM or abort(), and then prints what is done: all launches but the one
/// that runs.
void act_on_signals()
{
    char number = 0;
    while (read(wake_up[0], &number, 1) != 1) {
    }
    const std::string running = cpu_device::running_launch();
    std::fflush(stdout);
    if (number != SIGABRT)
        std::fprintf(stderr, "\nInterrupted%s%s. Results so far:\n", running.empty() ? "" : " in ",
                     running.c_str());
    succeeds([] { write_table(cpu_device::launches()); });
    tell_of_unread_error(number);
    std::fflush(stdout);
    std::signal(number, SIG_DFL);
    kill(getpid(), number);
}

/// Programs that handle these signals themselves still do.
void watch_signals()
{
    if (pipe(wake_up) != 0)
        return;
    std::thread(act_on_signals).detach();
    for (const int number : ending_signals) {
        struct sigaction before = {};
        struct sigaction action = {};
        action.sa_handler = on_signal;
        action.sa_flags = SA_RESTART;
        if (sigaction(number, nullptr, &before) == 0 && before.sa_handler == SIG_DFL)
            sigaction(number, &action, nullptr);
    }
}

/// Runs after main(). The program's status stays what it was, but that a report which is lost is
/// no success.
void report(int status, void*)
{
    const std::vector<common::LaunchRecord>& launches = cpu_device::launches();
    if (forked && launches.empty())
        return;
    bool written = succeeds([&] { write_table(launches, true); });
    tell_of_unread_error(status);
    if (const char* path = std::getenv("MOVING_BYTES_JSON"))
        written = succeeds([&] { write_json(path, launches); }) && written;
    if (!written && status == 0) {
        std::fflush(nullptr);
        _exit(bad_usage);
    }
}

/// Before main() has them.
bool run_without_arguments()
{
    std::ifstream command("/proc/self/cmdline", std::ios::binary);
    std::string name, argument;
    return std::getline(command, name, '\0') && !std::getline(command, argument, '\0');
}

/// The GPU of MOVING_BYTES_CARD, if that is a file: modelled_card() finds it then.
void read_card()
{
    const char* const asked = std::getenv("MOVING_BYTES_CARD");
    if (asked == nullptr || !common::names_card_file(asked))
        return;
    try {
        common::read_card_file(asked);
    } catch (const common::CardError& error) {
        common::end_program(bad_usage, error.what());
    }
}

[[maybe_unused]] const bool prepared = [] {
    read_card();
    if (const common::Card* card = modelled_card(); card != nullptr) {
        common::model_card(*card);
        watch_accesses();
    }
    constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    cpu_device::Settings& settings = cpu_device::settings();
    settings.watchful = true;
    settings.registers_of = registers_of;
    watch_host();
    const char* const count = std::getenv("MOVING_BYTES_COUNT");
    settings.counted_launches =
        count != nullptr && std::string_view(count) == "all"
            ? most
            : common::setting<std::uint64_t>("MOVING_BYTES_COUNT", 1, most,
                                             "all, or a whole number from 1 on");
    if (const auto seed = common::setting<std::uint64_t>(
            "MOVING_BYTES_SEED", 0, most, "a whole number from 0 to 18446744073709551615"))
        common::set_lane_order(*seed);
    // A child tells of its own kernels, if it has any; its parent of those before.
    pthread_atfork(nullptr, nullptr, [] {
        forked = true;
        for (const int number : ending_signals) // its parent has the thread that acts on them
            std::signal(number, SIG_DFL);
        cpu_device::forget_launches();
    });
    watch_signals();
    settings.before_fault = [] { // what earlier kernels did may be why
        if (!cpu_device::launches().empty())
            succeeds([] { write_table(cpu_device::launches()); });
    };
    if (run_without_arguments())
        settings.advice_on_bad_access =
            " The program was given no arguments; behind --, ./run passes some on.";
    settings.page_on_pitch = " (book/14_pitched_memory.md)";
    cpu_device::watch_program();
    return on_exit(report, nullptr) == 0;
}();

} // namespace
} // namespace own_program
