#include "core/launch_monitor.hpp"

#include "core/devices.hpp"
#include "core/faults.hpp"
#include "core/host.hpp"
#include "core/immortal.hpp"
#include "core/kernels.hpp"
#include "cpu_device/launches.hpp"
#include "cpu_device/settings.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <mutex>
#include <string>
#include <utility>

namespace cpu_device {
namespace {

using Clock = std::chrono::steady_clock;

std::string in_seconds(double seconds)
{
    char text[32];
    std::snprintf(text, sizeof text, seconds < 10 ? "%.2g s" : "%.0f s", seconds);
    return text;
}

/// The launch that runs, for a thread that looks at it now and then.
struct LaunchMonitor
{
    std::mutex mutex;
    std::string what; ///< empty while nothing runs
    LaunchConfiguration configuration;
    Clock::time_point began;
    Clock::time_point said;
    std::uint64_t launches = 0;
    std::uint64_t told = 0; ///< of them, when something was said
    const std::atomic<std::uint64_t>* next = nullptr;
    std::uint64_t blocks = 0;
    std::clock_t used = 0; ///< of the processors, likewise
    bool started = false;

    [[nodiscard]] std::string describe(Clock::time_point now) const
    {
        const double seconds = std::chrono::duration<double>(now - began).count();
        std::string text = what + ": ";
        if (next == nullptr || blocks < 2)
            return text + "running for " + in_seconds(seconds);
        const std::uint64_t begun = std::min(next->load(), blocks);
        const double share = static_cast<double>(begun) / static_cast<double>(blocks);
        text += "block " + std::to_string(begun) + " of " + std::to_string(blocks) + " (" +
                std::to_string(static_cast<int>(100 * share)) + " %) after " + in_seconds(seconds);
        return share > 0 && share < 1
                   ? text + ", about " + in_seconds(seconds * (1 - share) / share) + " to go"
                   : text;
    }

    void start()
    {
        if (!std::exchange(started, true))
            host::look_every(std::chrono::milliseconds(500), [this] { look(); });
    }

    void look()
    {
        const std::lock_guard lock(mutex);
        const auto now = Clock::now();
        // Whoever waits for a program of his own has waited for its compiler already.
        const double most = settings().watchful ? settings().patience / 2 : settings().patience;
        if (std::chrono::duration<double>(now - said).count() < most)
            return;
        const std::clock_t now_used = std::clock(); // all threads of the program
        const bool at_work = static_cast<double>(now_used - used) / CLOCKS_PER_SEC > most / 20;
        const bool launched = launches != std::exchange(told, launches);
        said = now;
        used = now_used;
        std::string text;
        if (!what.empty())
            text = describe(now);
        else if (!settings().watchful || !(launched || at_work))
            return; // it waits, for its input perhaps
        if (what.empty() && !launched)
            text = "No kernel is running: the host code is";
        else if (what.empty() || now - began < std::chrono::seconds(1))
            text =
                std::to_string(launches) + " launches so far" + (text.empty() ? "" : ", ") + text;
        std::fprintf(stderr, "%s.\n", text.c_str());
    }
};

} // namespace

void report_spin(std::uintptr_t pc, std::uintptr_t address, double seconds)
{
    const Untraced untraced;
    const bool ends = seconds >= settings().patience;
    static std::atomic_flag advised;
    if (!ends && advised.test_and_set())
        return;
    const auto allocation = find_allocation(reinterpret_cast<void*>(address));
    const bool of_host = allocation && allocation->kind != cudaMemoryTypeDevice;
    const std::string line = at_line(pc);
    std::string text = "has accessed only the same addresses for " + in_seconds(seconds) +
                       (line.empty() ? line : "," + line) + ": the last is " +
                       place_of_global(address) + ". It probably waits for ";
    text += of_host ? "the host, which is still in the call that launched the kernel: launches run "
                      "to completion there, so a kernel cannot wait for later host code. "
                      "Launch it after the host has written."
                    : "another block or warp to write there: blocks run to completion, a few at a "
                      "time and in order, so a block can only wait for earlier blocks; in a "
                      "cooperative launch, grid.sync() waits for all.";
    if (device_count() > 1)
        text += " Kernels of several devices also run here one after the other, so none can wait "
                "for another: end the kernel there, and let the next one's stream wait for an "
                "event of the other device.";
    const std::string& remedy = settings().how_to_be_patient;
    if (ends)
        fault(text + (remedy.empty() ? "" : " " + remedy + " allows more time."));
    advise({"", 0}, text);
}

StillRunning::StillRunning(const LaunchConfiguration& configuration)
{
    auto& monitor = immortal<LaunchMonitor>();
    const std::lock_guard lock(monitor.mutex);
    monitor.began = Clock::now();
    if (!settings().watchful)
        monitor.said = monitor.began;
    monitor.what = name_of(configuration);
    monitor.configuration = configuration;
    ++monitor.launches;
    monitor.start();
}

StillRunning::~StillRunning()
{
    auto& monitor = immortal<LaunchMonitor>();
    const std::lock_guard lock(monitor.mutex);
    monitor.what.clear();
}

const LaunchConfiguration& running_configuration()
{
    return immortal<LaunchMonitor>().configuration;
}

void note_progress(const std::atomic<std::uint64_t>* next, std::uint64_t blocks)
{
    auto& monitor = immortal<LaunchMonitor>();
    const std::lock_guard lock(monitor.mutex);
    monitor.next = next;
    monitor.blocks = blocks;
}

void watch_program()
{
    host::watch_for_faults();
    auto& monitor = immortal<LaunchMonitor>();
    const std::lock_guard lock(monitor.mutex);
    monitor.said = Clock::now();
    monitor.start();
}

std::string running_launch()
{
    auto& monitor = immortal<LaunchMonitor>();
    const std::lock_guard lock(monitor.mutex);
    return monitor.what.empty() ? monitor.what : monitor.describe(Clock::now());
}

} // namespace cpu_device
