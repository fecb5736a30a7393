#include "own_program/advice.hpp"

#include "common/model/model_error.hpp"
#include "common/text/format.hpp"
#include "common/text/terminal.hpp"
#include "own_program/accesses.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string_view>

namespace own_program {
namespace {

constexpr std::size_t most_told = 3; ///< kernels: the others seldom matter

/// What is said of a bound of the model.
struct Limit
{
    std::string_view name; ///< Bound::name
    const char* meaning;
};

constexpr auto limits = std::to_array<Limit>({
    {"atomics", "atomics wait for each other"},
    {"blocks", "its blocks end faster than new ones can be launched"},
    {"constant", "its lanes access different words of constant memory"},
    {"dram", "memory is as busy as it can be"},
    {"host", "the link to the host's memory is busy"},
    {"l2", "the L2 cache is busy"},
    {"latency", "too few bytes are in flight"},
    {"link", "the way to another device's memory is busy"},
    {"lsu", "the load-store units are busy"},
    {"shared", "shared memory is busy"},
});

/// What is behind a limit.
enum class Cause
{
    // Of the launch, before all that its accesses show:
    idle_blocks,
    small_blocks,
    few_blocks,
    redundant, ///< threads load and store the same
    barriers,
    local, ///< more requests for an array in local memory than to global memory
           // Of its accesses:
    atomics,
    blocks,
    conflicts,
    constant,
    host,
    irregular, ///< lanes all over the place,
    spread,    ///< or a fixed distance apart: more sectors than what they want would fill
    latency,
    link,
    moved, ///< all that moves is wanted, once
    read_again,
    repeated,         ///< many requests, each as good as it can be,
    shared_by_blocks, ///< for what other blocks load, too
    shared,
    swapped, ///< threadIdx.y runs along what lies side by side
    turned,  ///< neighbours on one side are far apart on the other
    unused   ///< bytes that come with those that are wanted
};

struct Remedy
{
    Cause cause;
    const char* text;
    const char* page; ///< from the root of the repository
};

constexpr auto remedies = std::to_array<Remedy>({
    {Cause::idle_blocks, "Compute the grid from the number of elements", "book/23_block_launch.md"},
    {Cause::small_blocks, "Launch blocks of 256 threads with the same work per thread",
     "book/02_threads_per_block.md"},
    {Cause::few_blocks, "Launch more threads, in more blocks, with less work each",
     "book/23_block_launch.md"},
    {Cause::redundant, "Give each thread its own elements, by threadIdx and blockIdx",
     "book/00_introduction.md"},
    {Cause::barriers, "Use fewer barriers: more work between two of them, or warp shuffles",
     "book/28_reduction.md"},
    {Cause::local,
     "Make each index a constant by unrolling, or keep the array in shared memory, [index][thread]",
     "book/09_local_memory.md"},
    {Cause::atomics, "Add up in a warp and a block first", "book/25_contention.md"},
    {Cause::blocks, "Give each thread more elements", "book/23_block_launch.md"},
    {Cause::conflicts, "Pad the tile's rows, or swizzle them", "book/07_shared_memory.md"},
    {Cause::constant, "Read the table from global memory", "book/08_constant_memory.md"},
    {Cause::host, "Copy to the device what is used again", "book/11_mapped_memory.md"},
    {Cause::irregular, "Order the indices, or gather from the L2", "book/17_gather.md"},
    {Cause::spread, "Give neighbouring lanes neighbouring elements", "book/03_coarsening.md"},
    {Cause::latency, "Issue more loads at once, or wider ones", "book/22_bytes_in_flight.md"},
    {Cause::link, "Copy what is used often, or work where it is", "book/40_peer_copy.md"},
    {Cause::moved, "Only fewer bytes help: smaller types, fused kernels", "book/24_streams.md"},
    {Cause::read_again, "Work on a tile in shared memory", "book/07_shared_memory.md"},
    {Cause::repeated,
     "Compute several outputs per thread from registers; a tile takes as many wavefronts",
     "book/07_shared_memory.md"},
    {Cause::shared_by_blocks, "Let each block load a larger tile once", "book/07_shared_memory.md"},
    {Cause::shared, "Keep in registers what a thread uses again", "book/07_shared_memory.md"},
    {Cause::swapped, "Let threadIdx.x run along the row, in place of threadIdx.y",
     "book/02_threads_per_block.md"},
    {Cause::turned, "Turn it in a tile of shared memory", "book/20_transpose_tiles.md"},
    {Cause::unused, "Keep an array for each field", "book/16_data_layout.md"},
});

double ratio(double part, double whole)
{
    return whole == 0 ? 0 : part / whole;
}

double ratio(std::uint64_t part, std::uint64_t whole)
{
    return ratio(static_cast<double>(part), static_cast<double>(whole));
}

/// A kernel that is told of: its launch that takes longest.
struct Advised
{
    const Shape& shape;
    const common::LaunchRecord& launch;
    const Accesses& accesses;

    [[nodiscard]] std::string_view limit() const { return shape.longest.limited_by; }
    [[nodiscard]] const cpu_device::Traffic& traffic() const { return *launch.traffic; }
    [[nodiscard]] double blocks() const
    {
        return static_cast<double>(launch.grid[0]) * launch.grid[1] * launch.grid[2];
    }
    [[nodiscard]] unsigned threads() const ///< of a block
    {
        return launch.block[0] * launch.block[1] * launch.block[2];
    }
    [[nodiscard]] double warps() const { return blocks() * ((threads() + 31) / 32); }
    /// Requests to global memory of an average warp.
    [[nodiscard]] double requests() const
    {
        const common::Counts& counts = launch.counts;
        return static_cast<double>(counts.load_requests + counts.store_requests +
                                   counts.atomic_requests) /
               warps();
    }
    /// Requests to local memory of an average warp.
    [[nodiscard]] double local_requests() const
    {
        const common::Counts& counts = launch.counts;
        return static_cast<double>(counts.local_load_requests + counts.local_store_requests) /
               warps();
    }
    /// The access with the most of something; null without any.
    [[nodiscard]] const Access* most(std::uint64_t Access::*what,
                                     cpu_device::Step first = cpu_device::Step::load,
                                     cpu_device::Step last = cpu_device::Step::atomic) const
    {
        const Access* found = nullptr;
        for (const Access& access : accesses.worst)
            if (access.step >= first && access.step <= last && access.*what > 0 &&
                (found == nullptr || access.*what > found->*what))
                found = &access;
        return found;
    }
};

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
    return other != nullptr && !is_spread(other) && told.accesses.used > mostly_used &&
           widest.requests <= 2 * other->requests && other->requests <= 2 * widest.requests;
}

constexpr unsigned lanes = 32; ///< of a warp

const cpu_device::DeviceLimits& card_limits()
{
    return modelled_card()->limits;
}

common::Demand demand_of(const Advised& told)
{
    return *own_program::demand_of(told.launch);
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
    const double lanes_gained = std::max(1.0, static_cast<double>(lanes) / told.threads());
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

/// Enough threads to fill all SMs, as far as there are rounds of loops to share among them.
common::Demand in_more_blocks(const Advised& told, const common::Demand& as_it_is)
{
    common::Demand asked = told.threads() < lanes ? in_blocks_of_256(told, as_it_is) : as_it_is;
    const double times =
        std::min(most_threads() / (asked.blocks * asked.threads), told.accesses.rounds);
    if (times <= 1)
        return as_it_is;
    asked.blocks *= times;
    for (double* const phases : {&asked.dram_phases, &asked.l2_phases, &asked.l1_phases})
        *phases /= times;
    return asked;
}

common::Demand with_indices_swapped(const Advised& told, common::Demand asked)
{
    asked.l2_read_sectors *= told.accesses.swapped_loads;
    asked.l2_read_requests *= told.accesses.swapped_loads;
    asked.l2_write_sectors *= told.accesses.swapped_stores;
    asked.l2_write_requests *= told.accesses.swapped_stores;
    asked.wavefronts -= told.traffic().global_wavefronts * (1 - told.accesses.swapped_wavefronts);
    return asked;
}

/// How many times as fast it would be if that were requested.
double gain_with(const Advised& told, const common::Demand& asked)
{
    return told.shape.longest.ms / predict(asked, *modelled_card()).ms;
}

bool is_faster_swapped(const Advised& told)
{
    constexpr double much = 1.2;
    return told.launch.block[1] > 1 && told.launch.block[0] > 1 &&
           gain_with(told, with_indices_swapped(told, demand_of(told))) > much;
}

/// Threads that want each byte of an access.
double redundancy(const Access& access)
{
    return access.warps_of_byte * ratio(access.wanted, access.bytes);
}

/// What is wrong with the launch itself, whatever its accesses show.
std::optional<Cause> cause_of_launch(const Advised& told)
{
    using cpu_device::Step;
    constexpr double much = 1.3;
    const common::Demand asked = demand_of(told);
    const auto idle = static_cast<double>(told.launch.idle_blocks);
    if (2 * idle > told.blocks() && idle < told.blocks())
        return Cause::idle_blocks;
    if (told.limit() == "host") // which no launch changes
        return {};
    if (told.blocks() * told.threads() < most_threads() / 2 &&
        gain_with(told, in_more_blocks(told, asked)) > much)
        return Cause::few_blocks;
    constexpr unsigned small = 128; // threads: 16 blocks of them do not fill an SM
    if (told.threads() < small &&
        gain_with(told, in_blocks_of_256(told, asked)) > (told.threads() < lanes ? 1 : much))
        return Cause::small_blocks;
    const Access* const load = told.most(&Access::requests, Step::load, Step::load);
    const Access* const store = told.most(&Access::requests, Step::store, Step::store);
    if (store != nullptr && redundancy(*store) >= 2 &&
        (load == nullptr || 2 * redundancy(*load) >= redundancy(*store)))
        return Cause::redundant;
    // A barrier costs tens of nanoseconds and a request some hundreds, which hide it.
    constexpr double far_more = 10;
    if (told.limit() == "latency" &&
        told.accesses.barriers > far_more * std::max(1.0, told.requests()))
        return Cause::barriers;
    if (told.launch.local_array != 0 && told.local_requests() > told.requests())
        return Cause::local;
    return {};
}

std::string threads_of(unsigned threads)
{
    return fmt::format("{} thread{}", threads, threads == 1 ? "" : "s");
}

Cause seen_cause(const Advised& told)
{
    const std::string_view limit = told.limit();
    if (limit == "atomics")
        return Cause::atomics;
    if (limit == "blocks")
        return Cause::blocks;
    if (limit == "constant")
        return Cause::constant;
    if (limit == "host")
        return Cause::host;
    if (limit == "link")
        return Cause::link;
    if (limit == "shared") {
        const common::Counts& counts = told.launch.counts;
        return counts.shared_load_conflicts + counts.shared_store_conflicts > 0 ? Cause::conflicts
                                                                                : Cause::shared;
    }
    const Access* const widest = told.most(limit == "lsu" ? &Access::wavefronts : &Access::sectors);
    const bool spread = is_spread(widest);
    const Cause apart = spread && 2 * widest->irregular > widest->requests ? Cause::irregular
                        : spread && is_turned(told, *widest)               ? Cause::turned
                        : spread && is_faster_swapped(told)                ? Cause::swapped
                                                                           : Cause::spread;
    if (limit == "dram") {
        if (told.accesses.used < mostly_used && apart != Cause::irregular &&
            apart != Cause::swapped)
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
    return fetched < once * dram_bytes(told.launch) ? Cause::moved : Cause::shared_by_blocks;
}

/// "2.5", "1 024".
std::string rounded(double number)
{
    constexpr double small = 10;
    return number < small ? fmt::format("{:.1f}", number)
                          : common::format_count(static_cast<std::uint64_t>(std::llround(number)));
}

/// "each warp makes 512 requests by the load of mine.cu:12"
std::string requests_of(const Advised& told, const Access& access)
{
    return fmt::format("each warp makes {} requests by {}",
                       rounded(ratio(access.requests, told.accesses.warps)), access.name());
}

std::string sectors_of(const Access& access)
{
    return rounded(access.each(access.sectors)) + " sectors";
}

/// What shows the cause, as a sentence without its end.
std::string evidence(const Advised& told, Cause cause)
{
    using cpu_device::Step;
    const common::Counts& counts = told.launch.counts;
    const auto bytes = [](double number) {
        return common::format_bytes(static_cast<std::uint64_t>(number));
    };
    const Access* const busiest = told.most(&Access::requests);
    const Access* const widest =
        told.most(told.limit() == "lsu" ? &Access::wavefronts : &Access::sectors);
    switch (cause) {
    case Cause::idle_blocks:
        return fmt::format("{} of {} blocks make no request to memory",
                           common::format_count(told.launch.idle_blocks), rounded(told.blocks()));
    case Cause::small_blocks:
        if (told.threads() < lanes)
            return fmt::format("in blocks of {}, {} of the {} lanes of each warp are idle",
                               threads_of(told.threads()), lanes - told.threads(), lanes);
        return fmt::format("an SM holds {} blocks at most: of {}, they fill {} of its {} warps",
                           card_limits().max_blocks_per_multiprocessor, threads_of(told.threads()),
                           card_limits().max_blocks_per_multiprocessor *
                               static_cast<int>((told.threads() + 31) / lanes),
                           card_limits().max_threads_per_multiprocessor / 32);
    case Cause::few_blocks: {
        const int sms = card_limits().multiprocessors;
        std::string text = fmt::format("{:.0f} block{} of {}: ", told.blocks(),
                                       told.blocks() == 1 ? "" : "s", threads_of(told.threads()));
        text += told.blocks() < sms
                    ? fmt::format("{:.0f} of {} SMs are idle", sms - told.blocks(), sms)
                    : fmt::format("{:.1f} of {} warps per SM", told.warps() / sms,
                                  card_limits().max_threads_per_multiprocessor / 32);
        if (told.threads() < lanes)
            text +=
                fmt::format(", and {} of the {} lanes of each warp", lanes - told.threads(), lanes);
        return busiest == nullptr ? text : text + "; " + requests_of(told, *busiest);
    }
    case Cause::redundant: {
        const Access& store = *told.most(&Access::requests, Step::store, Step::store);
        return fmt::format(
            "each element that {} writes is written by {:.0f} threads, which load the "
            "same",
            store.name(), redundancy(store));
    }
    case Cause::barriers:
        return fmt::format("a block waits {} times at barriers, most often at {}; each warp makes "
                           "{} requests to memory",
                           rounded(told.accesses.barriers), told.accesses.barrier,
                           rounded(told.requests()));
    case Cause::local:
        return fmt::format("each warp makes {} requests for its array of {}, whose index is known "
                           "at run time only, and {} to global memory",
                           rounded(told.local_requests()),
                           cpu_device::line_of_site(told.launch.local_array),
                           rounded(told.requests()));
    case Cause::atomics:
        if (const Access* const access = told.most(&Access::same, Step::atomic))
            return fmt::format("in a request by {}, {} of {} lanes access one address",
                               access->name(), rounded(access->each(access->same)),
                               rounded(access->each(access->lanes)));
        break;
    case Cause::blocks:
        return fmt::format(
            "{} blocks of {} make {} requests per warp by one access", rounded(told.blocks()),
            threads_of(told.threads()),
            rounded(busiest == nullptr ? 0.0 : ratio(busiest->requests, told.accesses.warps)));
    case Cause::conflicts:
        if (const Access* const access =
                told.most(&Access::conflicts, Step::shared_load, Step::shared_store))
            return fmt::format("a request by {} has {} bank conflicts", access->name(),
                               rounded(access->each(access->conflicts)));
        break;
    case Cause::constant:
        return fmt::format("a read takes {:.1f} wavefronts, one for each word that is wanted",
                           ratio(counts.constant_wavefronts, counts.constant_requests));
    case Cause::host:
        return fmt::format("{} come over the link, and {} go back",
                           bytes(static_cast<double>(told.launch.link_in_bytes)),
                           bytes(static_cast<double>(told.launch.link_out_bytes)));
    case Cause::link:
        return fmt::format("{} cross it", bytes(static_cast<double>(counts.peer_bytes())));
    case Cause::irregular:
    case Cause::spread:
    case Cause::swapped:
    case Cause::turned:
        return fmt::format(
            "a request by {}, of {} lanes, touches {}{}, where {} would do{}", widest->name(),
            rounded(widest->each(widest->lanes)), sectors_of(*widest),
            cause == Cause::irregular ? " without a pattern" : "",
            rounded(widest->each(widest->fewest)),
            cause == Cause::swapped ? "; threads that differ in threadIdx.y touch the same ones"
                                    : "");
    case Cause::latency:
        if (busiest != nullptr)
            return fmt::format("a block waits {} times for loads; {}, of {}",
                               rounded(told.traffic().dram_phases + told.traffic().l2_phases +
                                       told.traffic().l1_phases),
                               requests_of(told, *busiest), sectors_of(*busiest));
        break;
    case Cause::moved:
        return fmt::format(
            "it moves what it uses and no more, each byte once, at {:.0f} % of the peak of {}",
            100 * ratio(dram_bytes(told.launch), told.shape.longest.ms * 1e6) /
                modelled_card()->peak(),
            modelled_card()->name);
    case Cause::read_again:
        if (const Access* const load = told.most(&Access::sectors, Step::load, Step::load))
            return fmt::format("DRAM reads {} of {} that are touched; {}",
                               bytes(told.traffic().dram_bytes_read),
                               bytes(dram_bytes(told.launch)), requests_of(told, *load));
        break;
    case Cause::repeated:
    case Cause::shared_by_blocks:
        if (widest != nullptr)
            return fmt::format("{}, of {}, and fewer would not hold what it wants",
                               requests_of(told, *widest), sectors_of(*widest));
        break;
    case Cause::shared:
        if (const Access* const access =
                told.most(&Access::requests, Step::shared_load, Step::shared_store))
            return fmt::format("{}, without conflicts", requests_of(told, *access));
        break;
    case Cause::unused:
        if (widest != nullptr)
            return fmt::format("{} wants {:.1f} of the 32 bytes of a sector; of all that move, "
                               "{:.0f} % are used",
                               widest->name(), ratio(widest->bytes, widest->sectors),
                               100 * told.accesses.used);
        break;
    }
    return "no access of the blocks that were traced shows it";
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
    asked.dram_bytes_read =
        std::min(asked.dram_bytes_read, told.accesses.used * dram_bytes(told.launch));
    asked.dram_bytes_unused = asked.dram_rows = 0;
    return asked;
}

/// What it would request without the cause of its limit; nothing where that does not say it.
std::optional<common::Demand> without(const Advised& told, Cause cause)
{
    using cpu_device::Step;
    const common::Counts& counts = told.launch.counts;
    common::Demand asked = demand_of(told);
    const auto take_shared = [&asked](double wavefronts) {
        asked.wavefronts -= wavefronts;
        asked.shared_wavefronts -= wavefronts;
    };
    switch (cause) {
    case Cause::atomics:
        asked.l2_atomic_sectors = asked.atomics_in_one_slice = 0;
        return asked;
    case Cause::idle_blocks:
        asked.blocks -= static_cast<double>(told.launch.idle_blocks);
        return asked;
    case Cause::small_blocks:
        return in_blocks_of_256(told, asked);
    case Cause::few_blocks:
        return in_more_blocks(told, asked);
    case Cause::redundant:
        return with_less_work(asked,
                              redundancy(*told.most(&Access::requests, Step::store, Step::store)));
    case Cause::swapped:
        return with_indices_swapped(told, asked);
    case Cause::blocks: {
        constexpr double elements = 4; // a thread, in place of one
        asked.blocks = std::max(1.0, asked.blocks / elements);
        return asked;
    }
    case Cause::conflicts:
        take_shared(
            static_cast<double>(counts.shared_load_conflicts + counts.shared_store_conflicts));
        return asked;
    case Cause::constant:
        asked.constant_wavefronts -=
            static_cast<double>(counts.constant_wavefronts - counts.constant_requests);
        return asked;
    case Cause::irregular:
    case Cause::spread:
    case Cause::read_again:
    case Cause::turned:
    case Cause::unused:
        return with_best_accesses(told, asked);
    case Cause::repeated:
    case Cause::shared_by_blocks:
        asked.wavefronts -= told.traffic().global_wavefronts;
        asked.l2_read_sectors = asked.l2_read_requests = 0;
        asked.l2_write_sectors = asked.l2_write_requests = 0;
        return asked;
    case Cause::shared:
        take_shared(asked.shared_wavefronts);
        return asked;
    case Cause::barriers: // for which the model has no term
    case Cause::host:
    case Cause::latency:
    case Cause::link:
    case Cause::local:
    case Cause::moved:
        break;
    }
    return {};
}

/// How many times as fast it would be at most, and what would limit it then. The time is modelled
/// again without the cause; or it is that of the next busiest unit, if the limit alone goes.
struct Gain
{
    double times = 1;
    std::string_view next;
};

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

constexpr double hardly = 1.05; ///< as fast as before: less is no gain

/// Warps that wait for many sectors may wait as long for few, and DRAM may be as busy.
Cause cause_of(const Advised& told)
{
    if (const auto of_launch = cause_of_launch(told))
        return *of_launch;
    const Cause cause = seen_cause(told);
    const bool accesses =
        cause == Cause::irregular || cause == Cause::spread || cause == Cause::turned;
    if (!accesses || gain_of(told, cause).times >= hardly)
        return cause;
    if (told.limit() == "latency")
        return Cause::latency;
    if (told.limit() == "dram")
        return wasted_reads(told) < once ? Cause::moved : Cause::read_again;
    return cause;
}

/// "up to 2.9 times as fast (model within 20 %)".
std::string gain(const Advised& told, Cause cause)
{
    if (cause == Cause::moved)
        return "nothing to gain by other accesses";
    if (cause == Cause::barriers)
        return "the modelled time is without the waits at barriers";
    if (cause == Cause::local)
        return "the modelled time is without these requests";
    const auto [times, next] = gain_of(told, cause);
    if (times < hardly)
        return fmt::format("no faster, because {} comes next", next);
    std::string text = fmt::format("up to {} times as fast", rounded(times));
    // The times behind it are as far off as those of other kernels were.
    constexpr std::string_view measured_card = "H200";
    if (modelled_card()->name == measured_card)
        text += fmt::format(" (model within x{:.1f})",
                            common::model_error(common::Kernels::unseen).ninth_decile);
    return text;
}

std::string sentence(std::string text)
{
    text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
    return text + ".";
}

/// A line below that of the kernel; several, if the terminal is narrow.
std::string below(const std::string& text, std::size_t width)
{
    constexpr std::size_t indent = 2;
    std::string lines = "  ";
    for (const char c : common::wrap(text, width - indent))
        lines += c == '\n' ? "\n  " : std::string(1, c);
    return lines + "\n";
}

/// Three lines at most, if there is room.
std::string lines_of(const Advised& told, const std::string& name)
{
    const std::size_t width = std::min(common::output_width(), common::readable_width);
    const double ms = told.shape.ms / static_cast<double>(told.shape.modelled);
    const double launch_ms = modelled_card()->launch_ns / 1e6;
    if (ms < 2 * launch_ms)
        return common::wrap(
            fmt::format("{} takes {:.1f} us, of which {:.1f} are the launch: only fewer launches, "
                        "of more work each, make it faster (book/23_block_launch.md).\n",
                        name, 1000 * ms, 1000 * launch_ms),
            width);
    const Cause cause = cause_of(told);
    const auto limit = std::ranges::find(limits, told.limit(), &Limit::name);
    const auto remedy = std::ranges::find(remedies, cause, &Remedy::cause);
    const char* const of_launch = cause == Cause::idle_blocks    ? "blocks without work"
                                  : cause == Cause::small_blocks ? "small blocks"
                                  : cause == Cause::few_blocks   ? "too few threads"
                                  : cause == Cause::redundant    ? "redundant work"
                                  : cause == Cause::barriers     ? "barriers"
                                  : cause == Cause::local        ? "local memory"
                                                                 : nullptr;
    return common::wrap(of_launch != nullptr
                            ? fmt::format("{} is limited by {}.\n", name, of_launch)
                            : fmt::format("{} is limited by {}: {}.\n", name, told.limit(),
                                          limit == limits.end() ? "it is busy" : limit->meaning),
                        width) +
           below(sentence(evidence(told, cause)), width) +
           below(fmt::format("{} ({}): {}.", remedy->text, remedy->page, gain(told, cause)), width);
}

} // namespace

std::string advice(const std::vector<Shape>& shapes,
                   const std::vector<common::LaunchRecord>& launches)
{
    std::vector<const Shape*> slowest;
    double all_ms = 0;
    for (const Shape& shape : shapes)
        if (shape.modelled != 0) {
            slowest.push_back(&shape);
            all_ms += shape.all_ms();
        }
    std::stable_sort(slowest.begin(), slowest.end(), [](const Shape* one, const Shape* other) {
        return one->all_ms() > other->all_ms();
    });
    std::vector<const Shape*> told; // of each kernel the shape that takes longest
    std::size_t left_out = 0;
    double left_out_ms = 0;
    static const Accesses nothing;
    std::string text;
    for (const Shape* shape : slowest) {
        const auto again = [&](const Shape* other) {
            return other->total.kernel == shape->total.kernel && !other->is_namesake(shape->total);
        };
        if (std::ranges::any_of(told, again))
            continue;
        told.push_back(shape);
        if (told.size() > most_told) {
            ++left_out;
            continue;
        }
        const Accesses* const accesses = accesses_of(shape->longest_launch);
        const std::string arguments = arguments_of(*shape, shapes);
        text += lines_of(
            {*shape, launches[shape->longest_launch], accesses == nullptr ? nothing : *accesses},
            name_of(*shape, shapes) + (arguments.empty() ? "" : " (" + arguments + ")"));
    }
    for (const Shape* shape : slowest)
        if (std::find(told.begin(), told.end(), shape) - told.begin() >=
            static_cast<std::ptrdiff_t>(most_told))
            left_out_ms += shape->all_ms();
    if (left_out > 0)
        text += fmt::format("{} more kernel{} {:.0f} % of the modelled time.\n", left_out,
                            left_out == 1 ? " takes" : "s take", 100 * left_out_ms / all_ms);
    return text;
}

} // namespace own_program
