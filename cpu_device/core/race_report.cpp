#include "core/race_report.hpp"

#include "core/faults.hpp"
#include "core/host.hpp"
#include "cpu_device/poison.hpp"

namespace cpu_device {
namespace {

std::string line_of(const RacingAccess& access)
{
    const std::string line = host::source_line(access.pc);
    return line.empty() ? "" : " at " + line;
}

} // namespace

std::string describe(const Race& race, const LaunchConfiguration& configuration)
{
    if (race.kind == RaceKind::none ||
        (race.by_volatile && race.place.find("shared") != std::string::npos)) // Worker::step()
        return {};
    const auto block_of = [&](const RacingAccess& access) {
        return "block " + to_string(unravel(access.block, configuration.grid));
    };
    const auto thread_of = [&](const RacingAccess& access) {
        return "thread " + to_string(unravel(access.thread, configuration.block));
    };
    const std::string place = race.place.empty() ? place_of_global(race.address) : race.place;
    std::string text = std::string("kernel ") + configuration.kernel + " (launched at " +
                       to_string(SourceLine{configuration.file, configuration.line}) + "), ";
    const std::string load = line_of(race.load), store = line_of(race.store);
    switch (race.kind) {
    case RaceKind::none:
        break;
    case RaceKind::warps:
        text += block_of(race.load) + ": " + thread_of(race.load) + " uses " + place + load +
                ", which " + thread_of(race.store) + " writes" + store +
                " with no __syncthreads() between. Which of them comes first is left to chance, "
                "and the result with it.";
        break;
    case RaceKind::lanes:
        text += block_of(race.load) + ": " + thread_of(race.load) + " reads " + place + load +
                ", which " + thread_of(race.store) + " of the same warp writes" + store +
                " with no __syncwarp() between. That the lanes of a warp go in step is what GPUs "
                "before Volta did, and the CPU device does it for this kernel unless it has a "
                "seed; CUDA does not promise it.";
        break;
    case RaceKind::update:
        text += block_of(race.load) + ": " + count(race.lanes, "thread") + " of a warp read " +
                place + load + ", and then write it" + store +
                ": a GPU loses all updates but one. atomicAdd() and its kind lose none.";
        break;
    case RaceKind::blocks:
        text += block_of(race.load) + ", " + thread_of(race.load) + " reads " + place + load +
                ", which " + block_of(race.store) + ", " + thread_of(race.store) + " writes" +
                store +
                ". Nothing orders the blocks of a launch: which of them comes first is left to "
                "chance.";
        break;
    }
    return text;
}

std::string describe(const UnwrittenLoad& unwritten, const LaunchConfiguration& configuration)
{
    if (unwritten.load.pc == 0)
        return {};
    return std::string("kernel ") + configuration.kernel + " (launched at " +
           to_string(SourceLine{configuration.file, configuration.line}) + "), block " +
           to_string(unravel(unwritten.load.block, configuration.grid)) + ": thread " +
           to_string(unravel(unwritten.load.thread, configuration.block)) + " reads " +
           unwritten.place + line_of(unwritten.load) +
           ", which nothing has written. On a GPU that is what was there before, in new memory "
           "often 0; here it is " +
           hexadecimal(poison) + ", in floats NaN.";
}

} // namespace cpu_device
