#include "own_program/advice.hpp"

#include "common/model/model_error.hpp"
#include "common/text/format.hpp"
#include "common/text/terminal.hpp"
#include "own_program/causes.hpp"

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
    {"atomics", "atomics wait for each other"},
    {"blocks", "its blocks end faster than new ones can be launched"},
    {"constant", "constant memory is busy"},
    {"dram", "memory is as busy as it can be"},
    {"host", "the link to the host's memory is busy"},
    {"l2", "the L2 cache is busy"},
    {"latency", "too few bytes are in flight"},
    {"link", "the way to another device's memory is busy"},
    {"lsu", "the load-store units are busy"},
    {"shared", "shared memory is busy"},
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
    {Cause::few_blocks, "Launch more threads, in more blocks, with less work each",
     "book/23_block_launch.md", "too few threads"},
    {Cause::redundant, "Give each thread its own elements, by threadIdx and blockIdx",
     "book/00_introduction.md", "redundant work"},
    {Cause::barriers, "Use fewer barriers: more work between two of them, or warp shuffles",
     "book/28_reduction.md", "barriers"},
    {Cause::local,
     "Make each index a constant by unrolling, or keep the array in shared memory, [index][thread]",
     "book/09_local_memory.md", "local memory"},
    {Cause::atomics, "Add up in a warp and a block first", "book/25_contention.md"},
    {Cause::scattered, "Add up in a block first, or sort the updates", "book/25_contention.md"},
    {Cause::blocks, "Give each thread more elements", "book/23_block_launch.md"},
    {Cause::conflicts, "Pad the tile's rows, or swizzle them", "book/07_shared_memory.md"},
    {Cause::constant, "Let lanes read one word or use global memory", "book/08_constant_memory.md"},
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
    case Cause::scattered: {
        const Access& atomic = *told.most(&Access::sectors, Step::atomic);
        return fmt::format("a request by {} updates {} addresses, each once, in {}", atomic.name(),
                           rounded(atomic.each(atomic.lanes)), sectors_of(atomic));
    }
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
    return common::wrap(remedy->launch != nullptr
                            ? fmt::format("{} is limited by {}.\n", name, remedy->launch)
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
    double told_ms = 0;
    static const Accesses nothing;
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
        const Accesses* const accesses = accesses_of(shape->longest_launch);
        const std::string arguments = arguments_of(*shape, shapes);
        text += lines_of(
            {*shape, launches[shape->longest_launch], accesses == nullptr ? nothing : *accesses},
            name_of(*shape, shapes) + (arguments.empty() ? "" : " (" + arguments + ")"));
    }
    if (told.size() > most_told)
        text += fmt::format(
            "{} more kernel{} {:.0f} % of the modelled time.\n", told.size() - most_told,
            told.size() == most_told + 1 ? " takes" : "s take", 100 * (1 - told_ms / all_ms));
    return text;
}

} // namespace own_program
