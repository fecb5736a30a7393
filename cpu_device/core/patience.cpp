#include "core/patience.hpp"

#include "core/faults.hpp"

#include "core/kernels.hpp"

#include "core/devices.hpp"
#include "core/host.hpp"
#include "core/memory.hpp"
#include "cpu_device/settings.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <mutex>
#include <string>
#include <utility>

namespace cpu_device {
namespace {

using Clock = std::chrono::steady_clock;

std::string in_seconds(double seconds)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.3g s", seconds);
    return text;
}

/// The launch that runs, for a thread that looks at it now and then.
class Watch
{
  public:
    void begin(const LaunchConfiguration& configuration)
    {
        const std::lock_guard lock(mutex_);
        began_ = Clock::now();
        next_ = settings().patience;
        what_ = std::string("kernel ") + configuration.kernel + " (launched at " +
                to_string(SourceLine{configuration.file, configuration.line}) + ")";
        if (!std::exchange(started_, true))
            host::look_every(std::chrono::milliseconds(500), [this] { look(); });
    }
    void end()
    {
        const std::lock_guard lock(mutex_);
        what_.clear();
    }

  private:
    void look()
    {
        const std::lock_guard lock(mutex_);
        const double seconds = std::chrono::duration<double>(Clock::now() - began_).count();
        if (what_.empty() || seconds < next_)
            return;
        std::fprintf(stderr, "%s has been running for %s.\n", what_.c_str(),
                     in_seconds(seconds).c_str());
        next_ = 4 * seconds;
    }

    std::mutex mutex_;
    std::string what_; ///< empty while nothing runs
    Clock::time_point began_;
    double next_ = 0; ///< seconds after which to speak
    bool started_ = false;
};

/// Never destroyed: its thread lives as long as the process.
Watch& watch()
{
    static Watch& instance = *new Watch;
    return instance;
}

} // namespace

void report_spin(std::uintptr_t pc, std::uintptr_t address, double seconds)
{
    const Untraced untraced;
    const bool ends = seconds >= settings().patience;
    static std::atomic_flag advised;
    if (!ends && advised.test_and_set())
        return;
    Allocation allocation;
    const bool of_host = find_live_allocation(reinterpret_cast<void*>(address), allocation) &&
                         allocation.kind != cudaMemoryTypeDevice;
    const std::string line = host::source_line(pc);
    std::string text = "has used nothing but the same addresses for " + in_seconds(seconds) +
                       (line.empty() ? "" : ", at " + line) + ": last one " +
                       describe_address(address, 1) + ". It probably waits for ";
    text += of_host
                ? "the host, which is in the call that launched the kernel: a launch runs there "
                  "until it is done, so a kernel cannot wait for what the host does next. "
                  "Launch it after the host has written."
                : "another block or warp to write there: blocks run to their end, a few at a "
                  "time and in order, so a block can wait for earlier ones alone; in a "
                  "cooperative launch, grid.sync() waits for all.";
    if (device_count() > 1)
        text += " The kernels of several devices, too, run here one after the other, so none can "
                "wait for what another one does: end the kernel there, and have the next one's "
                "stream wait for an event of the other device.";
    const std::string& remedy = settings().how_to_be_patient;
    if (ends)
        fault(text + (remedy.empty() ? "" : " " + remedy + " lets it go on for longer."));
    advise({"", 0}, text);
}

StillRunning::StillRunning(const LaunchConfiguration& configuration)
{
    watch().begin(configuration);
}

StillRunning::~StillRunning()
{
    watch().end();
}

} // namespace cpu_device
