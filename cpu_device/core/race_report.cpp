/// \file
/// Sentences on what watched blocks have shown.
#include "core/faults.hpp"
#include "core/memory.hpp"
#include "core/races.hpp"
#include "cpu_device/device_limits.hpp"

namespace cpu_device {

std::string describe(const LaunchRaces& races, const LaunchConfiguration& configuration)
{
    const Race& race = races.first();
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
    std::string text = name_of(configuration) + ", ";
    const std::string load = at_line(race.load.pc), store = at_line(race.store.pc);
    const std::string atomics =
        race.of_bytes ? "32-bit words with atomicAdd(), which has no variant for bytes"
                      : "atomicAdd() or another atomic";
    const std::string lost_update =
        ". A GPU keeps only one of simultaneous updates; __syncthreads() does not help. Use " +
        atomics + ".";
    const char* const other_blocks =
        " Where blocks read what others write, no barrier helps: store "
        "to a second array, or split the kernel.";
    switch (race.kind) {
    case RaceKind::none:
        break;
    case RaceKind::warps:
        text += block_of(race.load) + ": ";
        if (race.both_update)
            text += thread_of(race.load) + " and " + thread_of(race.store) + " read " + place +
                    load + ", and then both write it" + store + lost_update;
        else
            text += thread_of(race.load) + " uses " + place + load +
                    (race.next_round == NextRound::load ? " in the next round" : "") + ", which " +
                    thread_of(race.store) + " writes" + store +
                    (race.next_round == NextRound::store ? " in the next round," : "") +
                    " with no __syncthreads() in between. Their order, and so the result, is "
                    "undefined." +
                    (race.place.find("shared") == std::string::npos ? other_blocks : "");
        break;
    case RaceKind::lanes:
        text += block_of(race.load) + ": " + thread_of(race.load) + " reads " + place + load +
                ", which " + thread_of(race.store) + " of the same warp writes" + store +
                " with no __syncwarp() in between. GPUs before Volta ran the lanes of a warp in "
                "lockstep, and so does the CPU device for this kernel unless it has a seed; CUDA "
                "does not guarantee it.";
        break;
    case RaceKind::update:
        text += block_of(race.load) + ": " + count(race.lanes, "thread") + " of a warp read " +
                place + load + ", and then write it" + store + lost_update;
        break;
    case RaceKind::blocks:
        text += block_of(race.load) + ", " + thread_of(race.load) + " reads " + place + load +
                ", which " + block_of(race.store) + ", " + thread_of(race.store) + " writes" +
                store +
                ". The blocks of a launch run in no defined order, so the result is undefined" +
                (race.both_update ? ", and one of two updates is lost. Let one thread update each "
                                    "element, or use " +
                                        atomics + "."
                                  : std::string(".") + other_blocks);
        if (const std::uint64_t blocks = block_count(configuration); races.compared() < blocks)
            text += " (" + std::to_string(races.compared()) + " of the " + std::to_string(blocks) +
                    " blocks were compared.)";
        break;
    }
    return text;
}

std::string describe(const UnwrittenLoad& unwritten, const LaunchConfiguration& configuration)
{
    const auto [pc, block, number] = unwritten.load;
    if (pc == 0)
        return {};
    const std::string thread = name_of(configuration) + ", block " +
                               to_string(unravel(block, configuration.grid)) + ": thread " +
                               to_string(unravel(number, configuration.block));
    if (unwritten.place.empty())
        return thread + " stores" + at_line(pc) +
               " a value from an uninitialized local variable: initialize it. On a GPU it holds "
               "whatever was in its register, often 0.";
    const auto allocation = find_allocation(reinterpret_cast<const void*>(unwritten.address));
    const auto [copied, call] = allocation.value_or(Allocation()).copied;
    return thread + " reads " + unwritten.place + at_line(pc) +
           ", which has not been written. On a GPU it holds whatever was there before, in new "
           "memory often 0; here it is " +
           hexadecimal(poison) + ", NaN as a float." +
           (copied == 0 || copied == allocation->bytes
                ? ""
                : " cudaMemcpy()" + at_line(call) + " has filled only the first " +
                      std::to_string(copied) + " of " + count(allocation->bytes, "byte") +
                      ": its argument is a number of bytes, not of elements.");
}

} // namespace cpu_device
