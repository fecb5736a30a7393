#include "own_program/advice.hpp"

#include "common/model/model_error.hpp"
#include "common/text/format.hpp"
#include "common/text/terminal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

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
    {"atomics", "the atomic units of the L2 are saturated"},
    {"blocks", "blocks finish faster than new ones can be launched"},
    {"constant", "constant memory is saturated"},
    {"dram", "memory bandwidth is saturated"},
    {"host", "the link to the host's memory is saturated"},
    {"l2", "the L2 cache is saturated"},
    {"latency", "too few bytes are in flight"},
    {"link", "the link to another device's memory is saturated"},
    {"lsu", "the load-store units are saturated"},
    {"shared", "shared memory is saturated"},
});

/// What is done about a cause.
struct Remedy
{
    Cause cause;
    const char* text;
    const char* page;             ///< from the root of the repository
    const char* launch = nullptr; ///< of a cause in the launch: what the kernel is limited by
};

constexpr auto remedies = std::to_array<Remedy>({
    {Cause::idle_blocks, "Compute the grid from the number of elements", "book/23_block_launch.md",
     "blocks without work"},
    {Cause::small_blocks, "Launch blocks of 256 threads with the same work per thread",
     "book/02_threads_per_block.md", "small blocks"},
    {Cause::few_blocks,
     "Launch more threads, in more blocks, with less work each, on adjacent elements",
     "book/23_block_launch.md", "too few threads"},
    {Cause::occupancy, "Use less shared memory per block, or let more threads share it",
     "book/02_threads_per_block.md", "occupancy"},
    {Cause::redundant, "Compute each thread's elements from threadIdx and blockIdx",
     "book/00_introduction.md", "redundant work"},
    {Cause::rewritten, "Accumulate in a register, and store once", "book/28_reduction.md",
     "repeated stores"},
    {Cause::barriers, "Use fewer barriers, with more work in between, or warp shuffles",
     "book/28_reduction.md", "barriers"},
    {Cause::heap, "Allocate once, before the launch, or use an array of constant size",
     "book/09_local_memory.md", "malloc() in the kernel"},
    {Cause::local,
     "Make each index a constant by unrolling, or keep the array in shared memory, [index][thread]",
     "book/09_local_memory.md", "local memory"},
    {Cause::atomics, "Reduce within each warp and block first, or sort scattered updates",
     "book/25_contention.md"},
    {Cause::blocks, "Process more elements per thread", "book/23_block_launch.md"},
    {Cause::conflicts, "Pad the tile's rows, or swizzle them", "book/07_shared_memory.md"},
    {Cause::few_lanes, "Let consecutive threads work, so that whole warps work or skip",
     "book/28_reduction.md", "divergent warps"},
    {Cause::constant, "Let lanes read one word or use global memory", "book/08_constant_memory.md"},
    {Cause::host, "Copy reused data to the device", "book/11_mapped_memory.md"},
    {Cause::irregular, "Sort the indices, or gather from L2", "book/17_gather.md"},
    {Cause::spread, "Let threadIdx.x run over adjacent elements", "book/03_coarsening.md"},
    {Cause::pieces, "Load float2 or float4, or an array per field", "book/16_data_layout.md"},
    {Cause::narrow, "Launch blocks with a blockDim.x of 32 or a multiple",
     "book/02_threads_per_block.md"},
    {Cause::latency, "Issue more independent loads per thread, or wider ones",
     "book/22_bytes_in_flight.md"},
    {Cause::link, "Copy reused data, or run the kernel where it is", "book/40_peer_copy.md"},
    {Cause::moved, "Move fewer bytes: smaller types, fused kernels", "book/24_streams.md"},
    {Cause::read_again, "Let each block load a tile into shared memory once, as large as it fits",
     "book/07_shared_memory.md"},
    {Cause::repeated,
     "Compute several outputs per thread from registers; a tile needs just as many wavefronts",
     "book/07_shared_memory.md"},
    {Cause::shared, "Keep values that a thread reuses in registers", "book/07_shared_memory.md"},
    {Cause::turned, "Transpose it through a tile in shared memory", "book/20_transpose_tiles.md"},
    {Cause::uneven, "Sort the work by length, or split it into equal parts for all threads",
     "book/32_matrix_vector.md", "loops of uneven length"},
    {Cause::unused, "Store each field in an array of its own", "book/16_data_layout.md"},
});

std::string threads_of(unsigned threads)
{
    return fmt::format("{} thread{}", threads, threads == 1 ? "" : "s");
}

/// "2.5", "1,024".
std::string rounded(double number)
{
    constexpr double small = 10;
    return number < small ? fmt::format("{:.1f}", number)
                          : common::format_count(static_cast<std::uint64_t>(std::llround(number)));
}

/// "the load at mine.cu:12 makes 512 requests per warp"
std::string requests_of(const Advised& told, const Access& access)
{
    return fmt::format("{} makes {} requests per warp", access.name(),
                       rounded(ratio(access.requests, told.accesses.warps)));
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
    const auto bytes = [](auto number) {
        return common::format_bytes(static_cast<std::uint64_t>(number));
    };
    const Access* const busiest = told.most(&Access::requests);
    const Access* const of_all = told.most(&Access::requests, Step::load, Step::shared_store);
    const Access* const widest =
        told.most(told.limit() == "lsu" ? &Access::wavefronts : &Access::sectors);
    switch (cause) {
    case Cause::idle_blocks:
        return fmt::format("{} of {} blocks make no memory request",
                           common::format_count(told.launch.idle_blocks), rounded(told.blocks()));
    case Cause::small_blocks:
        if (const unsigned all = told.lanes_of_block(); 4 * (all - told.threads()) > all)
            return fmt::format("in blocks of {}, {} of the {} lanes of {} are idle",
                               threads_of(told.threads()), all - told.threads(), all,
                               all == lanes ? "each warp" : "their warps");
        return fmt::format(
            "an SM holds at most {} blocks; with {} each, they leave warp slots empty",
            card_limits().max_blocks_per_multiprocessor, threads_of(told.threads()));
    case Cause::few_blocks: {
        const int sms = card_limits().multiprocessors;
        std::string text = fmt::format("{:.0f} block{} of {}: ", told.blocks(),
                                       told.blocks() == 1 ? "" : "s", threads_of(told.threads()));
        text += told.blocks() < sms
                    ? fmt::format("{:.0f} of {} SMs are idle", sms - told.blocks(), sms)
                    : fmt::format("{:.1f} of {} warp slots per SM are used", told.warps() / sms,
                                  card_limits().max_threads_per_multiprocessor / 32);
        if (told.threads() < lanes)
            text +=
                fmt::format(", and {} of the {} lanes of each warp", lanes - told.threads(), lanes);
        return busiest == nullptr ? text
                                  : fmt::format("{}; {}, {} each", text,
                                                requests_of(told, *busiest), sectors_of(*busiest));
    }
    case Cause::occupancy:
        return fmt::format(
            "each block of {} takes {} of shared memory, so an SM holds only {:.0f}",
            threads_of(told.threads()),
            bytes(told.launch.static_shared_bytes + told.launch.dynamic_shared_bytes),
            demand_of(told.launch)->resident);
    case Cause::redundant: {
        const Access& store = *told.most(&Access::requests, Step::store, Step::store);
        return fmt::format("{:.0f} threads write each element by {}, and load the same data",
                           redundancy(store), store.name());
    }
    case Cause::rewritten:
        return requests_of(told, *told.most(&Access::requests, Step::store, Step::store)) +
               ", again and again to the same addresses";
    case Cause::barriers:
        return fmt::format(
            "each block waits {} times at barriers, most often at {}; each warp makes "
            "{} memory requests",
            rounded(told.accesses.barriers), told.accesses.barrier, rounded(told.requests()));
    case Cause::heap:
        return common::format_count(told.launch.heap_calls) +
               " calls of malloc() or new, which a GPU serves one by one";
    case Cause::local:
        return fmt::format("each warp makes {} requests to its local array at {}, whose index is "
                           "known only at run time, and {} to global memory",
                           rounded(told.local_requests()),
                           cpu_device::line_of_site(told.launch.local_array),
                           rounded(told.requests()));
    case Cause::atomics:
        if (const Access* const access = told.most(&Access::same, Step::atomic))
            return fmt::format("each request of {} touches {}; at most {} of its {} lanes access "
                               "the same address",
                               access->name(), sectors_of(*access),
                               rounded(access->each(access->same)),
                               rounded(access->each(access->lanes)));
        break;
    case Cause::blocks:
        return fmt::format(
            "{} blocks of {} make at most {} requests per warp and access", rounded(told.blocks()),
            threads_of(told.threads()),
            rounded(busiest == nullptr ? 0.0 : ratio(busiest->requests, told.accesses.warps)));
    case Cause::conflicts:
        if (const Access* const access =
                told.most(&Access::conflicts, Step::shared_load, Step::shared_store))
            return fmt::format("each request of {} has {} bank conflicts", access->name(),
                               rounded(access->each(access->conflicts)));
        break;
    case Cause::constant:
        return fmt::format("each read takes {:.1f} wavefronts, one per distinct word",
                           ratio(counts.constant_wavefronts, counts.constant_requests));
    case Cause::host:
    case Cause::link:
        return bytes(told.launch.link_in_bytes + told.launch.link_out_bytes + counts.peer_bytes()) +
               " cross the link";
    case Cause::irregular:
    case Cause::narrow:
    case Cause::pieces:
    case Cause::spread:
    case Cause::turned:
        return fmt::format(
            "each request of {}, by {} lanes, touches {}{}; {} would be enough{}", widest->name(),
            rounded(widest->each(widest->lanes)), sectors_of(*widest),
            cause == Cause::irregular ? " at irregular addresses" : "",
            rounded(widest->each(widest->fewest)),
            cause == Cause::narrow ? "; its lanes are in several rows of the block" : "");
    case Cause::few_lanes:
    case Cause::uneven:
        return fmt::format("{}, each by {} of {} lanes", requests_of(told, *of_all),
                           rounded(of_all->each(of_all->lanes)), lanes);
    case Cause::latency:
        if (busiest != nullptr)
            return fmt::format("each block waits {} times for loads; {}, {} each",
                               rounded(told.traffic().dram_phases + told.traffic().l2_phases +
                                       told.traffic().l1_phases),
                               requests_of(told, *busiest), sectors_of(*busiest));
        break;
    case Cause::moved:
        return fmt::format("it moves only the bytes that it uses, each once, at {:.0f} % of the "
                           "peak bandwidth of {}{}",
                           100 * ratio(dram_bytes(told.launch), told.shape.longest.ms * 1e6) /
                               modelled_card()->peak(),
                           modelled_card()->name,
                           std::string_view(told.launch.signature).find("double*") <
                                   std::string_view::npos
                               ? "; a double has 8, a float 4"
                               : "");
    case Cause::read_again:
        if (const Access* const load = told.most(&Access::sectors, Step::load, Step::load))
            return fmt::format("{} are read from {}, but only {} are touched; {}",
                               bytes(told.limit() == "dram" ? told.traffic().dram_bytes_read
                                                            : told.traffic().l2_read_sectors * 32),
                               told.limit() == "dram" ? "DRAM" : "the L2",
                               bytes(dram_bytes(told.launch)), requests_of(told, *load));
        break;
    case Cause::repeated:
        if (widest != nullptr)
            return fmt::format("{}, {} each, as few as the requested bytes fit in",
                               requests_of(told, *widest), sectors_of(*widest));
        break;
    case Cause::shared:
        if (const Access* const access =
                told.most(&Access::requests, Step::shared_load, Step::shared_store))
            return fmt::format("{}, without bank conflicts", requests_of(told, *access));
        break;
    case Cause::unused:
        if (widest != nullptr)
            return fmt::format("{} uses {:.1f} of the 32 bytes per sector; {:.0f} % of all moved "
                               "bytes are used",
                               widest->name(), ratio(widest->bytes, widest->sectors),
                               100 * told.accesses.used);
        break;
    }
    return "no access in the traced blocks shows why";
}

/// "up to 2.9 times as fast (model within 1.7x)".
std::string gain(const Advised& told, Cause cause)
{
    if (cause == Cause::moved)
        return "other access patterns gain nothing";
    if (cause == Cause::barriers || cause == Cause::few_lanes || cause == Cause::heap ||
        cause == Cause::local || cause == Cause::uneven)
        return "the modelled time excludes this";
    const auto [times, next] = gain_of(told, cause);
    if (times < hardly)
        return fmt::format("no gain, because {} is the next limit", next);
    std::string text = fmt::format("up to {} times as fast", rounded(times));
    // The times behind it are as far off as those of other kernels were.
    constexpr std::string_view measured_card = "H200";
    if (modelled_card()->name == measured_card)
        text += fmt::format(" (model within {:.1f}x)",
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

Advised told_of(const Shape& shape, const std::vector<common::LaunchRecord>& launches)
{
    static const Accesses nothing;
    const Accesses* const accesses = accesses_of(shape.longest_launch);
    return {shape, launches[shape.longest_launch], accesses == nullptr ? nothing : *accesses};
}

/// Three lines at most, if there is room.
std::string lines_of(const Advised& told, const std::string& name)
{
    const std::size_t width = common::text_width();
    const double ms = ratio(told.shape.ms, told.shape.modelled);
    const double launch_ms = modelled_card()->launch_ns / 1e6;
    if (ms > 0 && ms < 2 * launch_ms && told.launch.heap_calls == 0)
        return common::wrap(
            fmt::format("{} takes {:.1f} us, {:.1f} us of it launch overhead: unless it computes "
                        "for long, more work per launch helps most (book/23_block_launch.md).\n",
                        name, 1000 * ms, 1000 * launch_ms),
            width);
    const Cause cause = cause_of(told);
    const auto limit = std::ranges::find(limits, told.limit(), &Limit::name);
    const auto remedy = std::ranges::find(remedies, cause, &Remedy::cause);
    return common::wrap(
               remedy->launch != nullptr
                   ? fmt::format("{} is limited by {}.\n", name, remedy->launch)
                   : fmt::format("{} is limited by {}: {}.\n", name, limit->name, limit->meaning),
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
        if (shape.modelled != 0 || cause_of_few_lanes(told_of(shape, launches)) == Cause::uneven) {
            slowest.push_back(&shape);
            all_ms += shape.all_ms();
        }
    std::stable_sort(slowest.begin(), slowest.end(), [](const Shape* one, const Shape* other) {
        return one->all_ms() > other->all_ms();
    });
    std::vector<const Shape*> told; // of each kernel the shape that takes longest
    double told_ms = 0;
    std::string text;
    for (const Shape* shape : slowest) {
        const auto again = [&](const Shape* other) {
            return other->total.kernel == shape->total.kernel && !other->is_namesake(shape->total);
        };
        if (std::ranges::any_of(told, again))
            continue;
        told.push_back(shape);
        if (told.size() > most_told)
            continue;
        told_ms += shape->all_ms();
        const std::string arguments = arguments_of(*shape, shapes);
        text +=
            lines_of(told_of(*shape, launches),
                     name_of(*shape, shapes) + (arguments.empty() ? "" : " (" + arguments + ")"));
    }
    if (told.size() > most_told)
        text += fmt::format(
            "{} more kernel{} {:.0f} % of the modelled time.\n", told.size() - most_told,
            told.size() == most_told + 1 ? " takes" : "s take", 100 * (1 - told_ms / all_ms));
    return text;
}

} // namespace own_program
