#include "own_program/advice.hpp"

#include <algorithm>
#include <utility>

namespace own_program {
namespace {

double wasted_reads(const Advised& told)
{
    return ratio(told.traffic().dram_bytes_read, dram_bytes(told.launch));
}

bool is_spread(const Access* access)
{
    return access != nullptr && access->is_spread();
}

constexpr double mostly_used = 0.75; ///< of bytes that move
constexpr double once = 1.25;        ///< as often as they must be read, nearly

/// As many requests of the other kind lie side by side, and together the blocks use what moves.
bool is_turned(const Advised& told, const Access& widest)
{
    using cpu_device::Step;
    const Step kind = widest.step == Step::load ? Step::store : Step::load;
    const Access* const other = told.most(&Access::requests, kind, kind);
    return other != nullptr && !is_spread(other) && !widest.is_together() &&
           told.accesses.used > mostly_used && widest.requests <= 2 * other->requests &&
           other->requests <= 2 * widest.requests;
}

/// What is asked of all units, a share of it.
common::Demand with_less_work(common::Demand asked, double times)
{
    for (double* const what :
         {&asked.wavefronts, &asked.shared_wavefronts, &asked.constant_wavefronts,
          &asked.l2_read_sectors, &asked.l2_read_requests, &asked.l2_write_sectors,
          &asked.l2_write_requests, &asked.l2_partial_sectors})
        *what /= times;
    return asked;
}

/// The same threads in blocks of 256, which fill their warps.
common::Demand in_blocks_of_256(const Advised& told, const common::Demand& as_it_is)
{
    constexpr unsigned threads = 256;
    const double merged = static_cast<double>(threads) / told.threads();
    const double lanes_gained = ratio(told.lanes_of_block(), told.threads());
    common::Demand asked = with_less_work(as_it_is, lanes_gained);
    // Neighbours share sectors; the fewest are those that come from DRAM.
    asked.l2_read_sectors = std::max(
        asked.l2_read_sectors, std::min(as_it_is.l2_read_sectors, as_it_is.dram_bytes_read / 32));
    asked.l2_write_sectors =
        std::max(asked.l2_write_sectors,
                 std::min(as_it_is.l2_write_sectors, as_it_is.dram_bytes_written / 32));
    asked.blocks = std::max(1.0, asked.blocks / merged);
    asked.threads = threads;
    asked.resident = asked.resident >= card_limits().max_blocks_per_multiprocessor
                         ? card_limits().max_threads_per_multiprocessor / static_cast<int>(threads)
                         : std::max(1, static_cast<int>(asked.resident / merged));
    return asked;
}

/// Threads that all SMs hold.
double most_threads()
{
    return 1.0 * card_limits().multiprocessors * card_limits().max_threads_per_multiprocessor;
}

/// Enough threads to fill all SMs, if less than half do, as far as loops have rounds to share.
common::Demand in_more_blocks(const Advised& told, const common::Demand& as_it_is)
{
    common::Demand asked = told.threads() < lanes ? in_blocks_of_256(told, as_it_is) : as_it_is;
    const double times =
        std::min(most_threads() / (asked.blocks * asked.threads), told.accesses.rounds);
    if (times <= 1 || 2 * asked.blocks * asked.threads >= most_threads())
        return as_it_is;
    asked.blocks *= times;
    for (double* const phases : {&asked.dram_phases, &asked.l2_phases, &asked.l1_phases})
        *phases /= times;
    return asked;
}

/// How many times as fast it would be if that were requested.
double gain_with(const Advised& told, const common::Demand& asked)
{
    return told.shape.longest.ms / predict(asked, *modelled_card()).ms;
}

/// True if lanes in a row of the block access neighbours, and only the rows lie apart.
bool is_narrow(const Advised& told, const Access& access)
{
    const double row = told.launch.block[0];
    const double bytes = ratio(access.wanted, access.lanes);
    return row < lanes && told.threads() > row &&
           access.each(access.sectors) <= ((lanes - 1) / row + 1) * (row * bytes / 32 + 1);
}

/// What is wrong with the launch itself, whatever its accesses show.
std::optional<Cause> cause_of_launch(const Advised& told)
{
    using cpu_device::Step;
    constexpr double much = 1.3;
    const common::Demand asked = *demand_of(told.launch);
    const auto idle = static_cast<double>(told.launch.idle_blocks);
    if (2 * idle > told.blocks() && idle < told.blocks() &&
        gain_of(told, Cause::idle_blocks).times >= hardly)
        return Cause::idle_blocks;
    if (static_cast<double>(told.launch.heap_calls) > told.warps())
        return Cause::heap;
    if (told.limit() == "host") // which no launch changes
        return {};
    if (gain_with(told, in_more_blocks(told, asked)) > much)
        return Cause::few_blocks;
    if (gain_with(told, in_more_blocks(told, *demand_of(told.launch, false))) > much)
        return Cause::occupancy;
    if (static_cast<int>(told.threads()) * card_limits().max_blocks_per_multiprocessor <
            card_limits().max_threads_per_multiprocessor &&
        gain_with(told, in_blocks_of_256(told, asked)) > (told.threads() < lanes ? 1 : much))
        return Cause::small_blocks;
    const Access* const load = told.most(&Access::requests, Step::load, Step::load);
    const Access* const store = told.most(&Access::requests, Step::store, Step::store);
    if (store != nullptr && redundancy(*store) >= 2 &&
        (load == nullptr || 2 * redundancy(*load) >= redundancy(*store)))
        return Cause::redundant;
    if (store != nullptr && store->times_of_byte >= 2 &&
        gain_of(told, Cause::rewritten).times >= hardly)
        return Cause::rewritten;
    // A barrier costs tens of nanoseconds and a load some hundreds, which hide it.
    const double far_more = 10 * ratio(told.launch.counts.load_requests, told.warps());
    if (told.limit() == "latency" && told.accesses.barriers > std::max(far_more, told.requests()))
        return Cause::barriers;
    if (told.launch.local_array != 0 && told.local_requests() > told.requests())
        return Cause::local;
    return {};
}

Cause seen_cause(const Advised& told)
{
    const std::string_view limit = told.limit();
    constexpr std::pair<std::string_view, Cause> plain[] = {{"atomics", Cause::atomics},
                                                            {"blocks", Cause::blocks},
                                                            {"constant", Cause::constant},
                                                            {"host", Cause::host},
                                                            {"link", Cause::link}};
    for (const auto& [name, cause] : plain)
        if (limit == name)
            return cause;
    if (limit == "shared") {
        const common::Counts& counts = told.launch.counts;
        return counts.shared_load_conflicts + counts.shared_store_conflicts > 0 ? Cause::conflicts
                                                                                : Cause::shared;
    }
    const Access* const widest = told.most(limit == "lsu" ? &Access::wavefronts : &Access::sectors);
    const bool spread = is_spread(widest);
    const Cause apart = spread && 2 * widest->irregular > widest->requests ? Cause::irregular
                        : spread && is_turned(told, *widest)               ? Cause::turned
                        : spread && is_narrow(told, *widest)               ? Cause::narrow
                        : spread && widest->shares_sectors() && told.accesses.used > mostly_used
                            ? Cause::pieces
                            : Cause::spread;
    if (limit == "dram") {
        if (told.accesses.used < mostly_used && apart != Cause::irregular && apart != Cause::narrow)
            return Cause::unused;
        if (spread)
            return apart;
        return wasted_reads(told) < once ? Cause::moved : Cause::read_again;
    }
    if (spread)
        return apart;
    if (limit == "latency")
        return Cause::latency;
    if (limit == "lsu")
        return Cause::repeated;
    const double fetched = told.traffic().l2_read_sectors * common::Counts::sector_bytes;
    return fetched < once * dram_bytes(told.launch) ? Cause::moved : Cause::read_again;
}

/// What the launch would request if no byte came that is not wanted, and each only once.
common::Demand with_best_accesses(const Advised& told, common::Demand asked)
{
    asked.l2_read_sectors *= told.accesses.loads;
    asked.l2_read_requests =
        std::min(asked.l2_read_requests, asked.l2_read_sectors / 4); // of lines
    asked.l2_write_sectors *= told.accesses.stores;
    asked.l2_write_requests *= told.accesses.stores;
    asked.l2_partial_sectors = 0;
    asked.wavefronts -= told.traffic().global_wavefronts * (1 - told.accesses.wavefronts);
    for (double* const moved : {&asked.dram_bytes_read, &asked.dram_bytes_written})
        *moved = std::min(*moved, told.accesses.used * dram_bytes(told.launch));
    asked.dram_bytes_unused = asked.dram_rows = 0;
    return asked;
}

/// What it would request without the cause of its limit; nothing where that does not say it.
std::optional<common::Demand> without(const Advised& told, Cause cause)
{
    using cpu_device::Step;
    const common::Counts& counts = told.launch.counts;
    const Access* const store = told.most(&Access::requests, Step::store, Step::store);
    common::Demand asked = *demand_of(told.launch);
    const double shared =
        cause == Cause::shared
            ? asked.shared_wavefronts
            : static_cast<double>(counts.shared_load_conflicts + counts.shared_store_conflicts);
    switch (cause) {
    case Cause::atomics: {
        const Access* const atomic = told.most(&Access::sectors, Step::atomic);
        const double kept = is_spread(atomic) ? ratio(atomic->fewest, atomic->sectors) : 0;
        asked.l2_atomic_sectors *= kept;
        asked.atomics_in_one_slice *= kept;
        return asked;
    }
    case Cause::idle_blocks:
        asked.blocks -= static_cast<double>(told.launch.idle_blocks);
        return asked;
    case Cause::small_blocks:
        return in_blocks_of_256(told, asked);
    case Cause::occupancy:
        return in_more_blocks(told, *demand_of(told.launch, false));
    case Cause::few_blocks:
        return in_more_blocks(told, asked);
    case Cause::redundant:
        return with_less_work(asked, redundancy(*store));
    case Cause::rewritten:
        for (double* const phases : {&asked.dram_phases, &asked.l2_phases, &asked.l1_phases})
            *phases /= store->times_of_byte; // loads come before the store, several at a time
        asked.l2_write_sectors = std::min(asked.l2_write_sectors, asked.dram_bytes_written / 32);
        asked.l2_write_requests = std::min(asked.l2_write_requests, asked.l2_write_sectors / 4);
        return asked;
    case Cause::blocks: {
        constexpr double elements = 4; // a thread, in place of one
        asked.blocks = std::max(1.0, asked.blocks / elements);
        return asked;
    }
    case Cause::conflicts:
    case Cause::shared:
        asked.wavefronts -= shared;
        asked.shared_wavefronts -= shared;
        return asked;
    case Cause::constant:
        asked.constant_wavefronts -=
            static_cast<double>(counts.constant_wavefronts - counts.constant_requests);
        return asked;
    case Cause::irregular:
    case Cause::narrow:
    case Cause::pieces:
    case Cause::spread:
    case Cause::turned:
    case Cause::unused:
        return with_best_accesses(told, asked);
    case Cause::read_again:
    case Cause::repeated:
        if (told.limit() == "dram")
            return with_best_accesses(told, asked);
        asked.wavefronts -= told.traffic().global_wavefronts;
        asked.l2_read_sectors = asked.l2_read_requests = 0;
        asked.l2_write_sectors = asked.l2_write_requests = 0;
        return asked;
    default: // for which the model has no term
        return {};
    }
}

} // namespace

Gain gain_of(const Advised& told, Cause cause)
{
    const common::ModelledTime& time = told.shape.longest;
    if (const auto asked = without(told, cause)) {
        const common::ModelledTime better = predict(*asked, *modelled_card());
        const auto host = std::ranges::find(time.bounds, "host", &common::Bound::name);
        if (host != time.bounds.end() && host->ms > better.ms)
            return {time.ms / host->ms, host->name};
        return {time.ms / better.ms, better.limited_by};
    }
    common::Bound next{"the launch", 0};
    for (const common::Bound& bound : time.bounds)
        if (bound.name != time.limited_by && bound.ms > next.ms)
            next = bound;
    return {time.ms / (next.ms + modelled_card()->launch_ns / 1e6), next.name};
}

std::optional<Cause> cause_of_few_lanes(const Advised& told)
{
    using cpu_device::Step;
    constexpr double few = 16; // times as many requests as others
    const Access* const found = told.most(&Access::requests, Step::load, Step::shared_store);
    if (found == nullptr || ratio(found->requests, told.accesses.warps) <= 2 ||
        4 * found->lanes >= lanes * found->requests ||
        (2.0 * static_cast<double>(told.launch.counts.divergent_warps) <= told.warps() &&
         told.traffic().longest_warp < few))
        return {};
    const bool begin_together = 2 * found->most_lanes > lanes;
    return begin_together && told.accesses.barriers == 0 ? Cause::uneven : Cause::few_lanes;
}

/// Warps that wait for many sectors may wait as long for few, and DRAM may be as busy.
Cause cause_of(const Advised& told)
{
    const auto of_lanes = cause_of_few_lanes(told);
    if (of_lanes == Cause::uneven) // whose other lanes are idle, in as many blocks as there are
        return Cause::uneven;
    if (const auto of_launch = cause_of_launch(told))
        return *of_launch;
    const Cause cause = seen_cause(told);
    if (cause == Cause::latency && // blocks live as long as their conflicts take
        gain_of(told, Cause::conflicts).times > std::max(1.2, gain_of(told, cause).times))
        return Cause::conflicts;
    if (cause == Cause::latency)
        return of_lanes.value_or(cause);
    const bool accesses = cause >= Cause::irregular && cause <= Cause::turned;
    if (!accesses || gain_of(told, cause).times >= hardly)
        return cause;
    if (told.limit() == "latency")
        return Cause::latency;
    if (told.limit() == "dram")
        return wasted_reads(told) < once ? Cause::moved : Cause::read_again;
    return cause;
}

} // namespace own_program
