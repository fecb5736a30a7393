#include "common/model/time_model.hpp"

#include "common/model/card.hpp"
#include "common/model/link.hpp"

#include <cpu_device/counts.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <stdexcept>

namespace common {

namespace {

constexpr double ns_per_ms = 1e6;

double dram_bytes(const Demand& demand)
{
    return demand.dram_bytes_read + demand.dram_bytes_written;
}

double share_written(const Demand& demand)
{
    const double bytes = dram_bytes(demand);
    return bytes > 0 ? demand.dram_bytes_written / bytes : 0;
}

/// Work that rows of DRAM add which are opened, as a share of the bytes that they give.
double opened_rows(const Demand& demand, const Card& card)
{
    return demand.dram_run_bytes > 0 ? card.dram_row / demand.dram_run_bytes : 0;
}

/// Bytes that keep DRAM as busy: a row that is opened costs as if it gave card.dram_row more.
double dram_work(const Demand& demand, const Card& card)
{
    const double bytes = dram_bytes(demand) + demand.dram_bytes_unused;
    return bytes * (1 + opened_rows(demand, card));
}

/// Turns from reads to writes and back cost the more the more is written, until nothing is read;
/// and more again where both open rows all the time.
double dram_ns(const Demand& demand, const Card& card)
{
    const double written = share_written(demand);
    const double rows = opened_rows(demand, card);
    const double turns = card.turn_cost * written * std::sqrt(written) *
                         (1 - std::pow(written, 8)) * (1 + card.row_turn * rows * rows);
    return dram_work(demand, card) / card.dram_rate * (1 + turns);
}

/// What L2 sends to the multiprocessors has a way of its own; reads, writes and fills share its
/// data.
double l2_ns(const Demand& demand, const Card& card)
{
    const double written = 32 * demand.l2_write_sectors;
    const double in_part = written > 0 ? std::max(0.0, 1 - demand.store_bytes / written) : 0;
    const double busy =
        demand.l2_read_sectors * card.l2_read + demand.l2_write_packets * card.l2_packet +
        demand.l2_write_sectors * (card.l2_write + in_part * card.l2_partial) +
        demand.l2_joint_lines * card.l2_joint + demand.l2_early_sectors * card.l2_early +
        demand.dram_bytes_read * card.l2_fill;
    // Each multiprocessor takes its share of the return: 70 bytes a ns of chapter 24's stream from
    // L2, and 74 in few_blocks of book/results/at_first_sight/breakers.json, where 16 of them have
    // a block.
    const double idle =
        std::max(1.0, card.limits.multiprocessors / std::max(1.0, std::floor(demand.blocks)));
    // Atomics are answered like loads.
    const double returned =
        std::max(demand.l2_read_sectors * card.l2_return,
                 (demand.l2_read_requests + demand.l2_atomic_sectors) * card.l2_request);
    return std::max(busy, returned * idle);
}

/// As many as kernels execute that do little but load and store.
double assumed_instructions(const Demand& demand, const Card& card)
{
    return (demand.requests - demand.repeated_requests) * card.instructions +
           demand.repeated_requests * card.repeated_instructions +
           demand.shared_requests * card.shared_instructions;
}

/// What is busiest with instructions, and how long, where there are so many clock cycles in a ns.
Bound arithmetic_ns(const Demand& demand, const Card& card, double cycles)
{
    const double all =
        demand.instructions > 0 ? demand.instructions : assumed_instructions(demand, card);
    const Bound units[] = {
        {"issue", all / cycles / card.issue_rate},
        {"integers", demand.logic / cycles / card.logic_rate},
        {"integer multiplication", demand.multiplications / cycles / card.multiplication_rate},
        {"special functions", demand.special / cycles / card.special_rate},
        {"double precision", demand.doubles / cycles / card.double_rate}};
    return *std::max_element(
        std::begin(units), std::end(units),
        [](const Bound& one, const Bound& other) { return one.ms < other.ms; });
}

double atomics_ns(const Demand& demand, const Card& card)
{
    return std::max(demand.atomics_in_one_slice / card.slice_atomics,
                    demand.l2_atomic_sectors / card.atomics);
}

/// Atomics read and write.
double link_ns(const Counts& counts, const Card& card)
{
    const auto bytes = [](std::uint64_t sectors) {
        return static_cast<double>(Counts::sector_bytes * sectors);
    };
    const LinkBytes carried =
        link_bytes_of_kernel(bytes(counts.peer_load_sectors + counts.peer_atomic_sectors),
                             bytes(counts.peer_store_sectors + counts.peer_atomic_sectors));
    return std::max(carried.in, carried.out) / card.peer_gb_per_s;
}

/// How long units need that work side by side, but for atomics that come behind all else. Two that
/// are busy for most of the time get in each other's way; that shows where the machine code says
/// how busy each is.
double units_ns(const std::vector<Bound>& bounds, double last_atomics_ns, bool by_code)
{
    // Powers of 4 to 8 fit the kernels of book/results/at_first_sight as well as of 5; 3 and
    // infinity fit less.
    double longest = 0, sum = 0;
    for (const Bound& bound : bounds) {
        const double ns = bound.name == "atomics" ? bound.ms - last_atomics_ns : bound.ms;
        longest = std::max(longest, ns);
        sum += ns * ns * ns * ns * ns;
    }
    return by_code ? std::pow(sum, 0.2) : longest;
}

/// Of how many waits for loads of a block the farthest memory is which.
struct Waits
{
    double dram = 0, l2 = 0, l1 = 0;
};

/// Those that were counted where nobody knows better. If a warp waits less often, because nvcc has
/// brought loads together, the farthest of each group counts; if it waits more often, the others
/// are on the way between those that were counted and each load alone.
Waits waits_for_loads(const Demand& demand)
{
    const Waits counted = {demand.dram_phases, demand.l2_phases, demand.l1_phases};
    const double all = counted.dram + counted.l2 + counted.l1;
    if (demand.cycles <= 0 || all <= 0)
        return counted;
    const double waits = std::max(0.0, demand.waits - demand.answers);
    if (waits < all) {
        const double group = waits > 0 ? all / waits : all;
        const auto any = [group](double share) {
            return 1 - std::pow(1 - std::min(1.0, share), group);
        };
        const double dram = any(counted.dram / all);
        const double far = any((counted.dram + counted.l2) / all);
        return {waits * dram, waits * (far - dram), waits * (1 - far)};
    }
    const double loads = demand.dram_loads + demand.l2_loads + demand.l1_loads;
    const double alone = loads > all ? std::min(1.0, (waits - all) / (loads - all)) : 0;
    const auto between = [alone](double together, double each) {
        return together + alone * std::max(0.0, each - together);
    };
    return {between(counted.dram, demand.dram_loads), between(counted.l2, demand.l2_loads),
            between(counted.l1, demand.l1_loads)};
}

/// Atomics whose answer is waited for take as long as loads from L2.
Waits waits_of(const Demand& demand)
{
    Waits waits = waits_for_loads(demand);
    waits.l2 += std::min(demand.answers, demand.waits);
    return waits;
}

/// What happens on one multiprocessor: blocks live there, and take turns at its units.
class Multiprocessor
{
  public:
    Multiprocessor(const Demand& demand, const Card& card)
        : card_(card), waits_(waits_of(demand)), warps_(std::ceil(demand.threads / 32.0)),
          // Fewer than a wave: some multiprocessors hold less than they could.
          turns_(demand.blocks / card.limits.multiprocessors),
          resident_(std::min<double>(demand.resident, turns_)),
          lsu_ns_(demand.wavefronts / demand.blocks / card.clock_ghz() / card.lsu_rate),
          busy_(dram_work(demand, card) / card.peak())
    {
        const double written = share_written(demand);
        queue_ns_ = card.read_queue_ns + card.mixed_queue_ns * written * (1 - written);
        // From DRAM and from L2 alike each line of a wait but the first comes some ns after the
        // last; before those from DRAM those from L2 have come.
        const double far = waits_.dram + waits_.l2;
        const double lines = far > 0 ? demand.l2_read_requests / demand.blocks / warps_ / far : 0;
        const double read = 32 * demand.l2_read_sectors;
        const double fetched = read > 0 ? std::min(1.0, demand.dram_bytes_read / read) : 1;
        const auto lines_ns = [&card](double of_a_wait) {
            return card.line_ns * std::clamp(of_a_wait - 1, 0.0, 15.0);
        };
        const double own_ns = card.block_ns + card.warp_ns * (warps_ - 8) +
                              card.dimension_ns * (demand.dimensions - 1);
        // What a wait for shared memory takes is among the cycles, if they are known, but for what
        // comes with the barrier before it.
        const double barrier_ns = card.barrier_ns + (demand.cycles > 0 ? card.l1_ns : 0);
        const double waits_ns = barrier_ns * demand.barriers +
                                waits_.dram * (card.dram_ns + lines_ns(lines * fetched)) +
                                waits_.l2 * (card.l2_ns + lines_ns(lines)) + waits_.l1 * card.l1_ns;
        alone_ns_ = own_ns + waits_ns;
        if (demand.instructions > 0)
            arithmetic_ns_ = arithmetic_ns(demand, card, card.clock_ghz()).ms / demand.blocks;
        if (demand.cycles > 0) {
            // block_ns is of a block whose warps take about so many cycles.
            constexpr double cycles_of_a_copy = 60;
            const double issued = demand.instructions / demand.blocks / warps_;
            stalled_ns_ =
                std::max(0.0, demand.cycles - issued - cycles_of_a_copy) / card.clock_ghz();
            by_warps_ = true;
        } else if (demand.instructions > 0) {
            // The constants above are of kernels that execute about as many as are assumed. Of what
            // goes beyond them a warp executes one in so many cycles, if it is alone: 3 to 4.5 fit
            // kernels of 30 to 150 instructions.
            constexpr double cycles_of_a_warp = 3;
            const double assumed = assumed_instructions(demand, card);
            const double more = std::max(0.0, demand.instructions - assumed) / demand.blocks;
            stalled_ns_ = cycles_of_a_warp * more / warps_ / card.clock_ghz() -
                          std::min(arithmetic_ns_,
                                   assumed / demand.blocks / card.issue_rate / card.clock_ghz());
        }
        in_step_ = demand.barriers > 0;
        constexpr double often = 0.25; // barriers for each wait: what one warp gains is not lost
        together_ = demand.barriers > often * (waits_.dram + waits_.l2 + waits_.l1);
        late_atomics_ = demand.late_atomics;
        longest_ns_ = own_ns + demand.longest_warp * (waits_ns + (by_warps_ ? stalled_ns_ : 0));
    }

    /// The life of the block with the longest warp, on a card that does nothing else.
    [[nodiscard]] double longest_ns() const { return longest_ns_; }

    /// From a block's start until its place is free, if the launch takes `total_ns` and so many
    /// blocks live there.
    [[nodiscard]] double life_ns(double total_ns, double blocks) const
    {
        const double used = std::min(busy_ / total_ns, 0.999);
        const double waited = alone_ns_ + waits_.dram * queue_ns_ * used / (1 - used);
        if (by_warps_)
            return life_of_warps(waited + stalled_ns_, blocks);
        const double together = life_of_blocks(std::max(waited, lsu_ns_) + stalled_ns_, blocks);
        if (in_step_)
            return together;
        // Warps start together, and have drifted apart after the first round.
        const double rounds = std::max(1.0, waits_.dram + waits_.l2 + waits_.l1);
        return (together + (rounds - 1) * life_of_warps(waited + stalled_ns_, blocks)) / rounds;
    }
    [[nodiscard]] double life_ns(double total_ns) const { return life_ns(total_ns, resident_); }

    /// The time in which all blocks have lived: where Little's law and the queue agree.
    [[nodiscard]] double total_ns(double least_ns) const
    {
        const double turns = turns_ / resident_;
        double low = least_ns;
        double high = std::max(least_ns, 1.0);
        while (life_ns(high) * turns > high)
            high *= 2;
        while (high - low > 1e-6 * high) {
            const double middle = (low + high) / 2;
            (life_ns(middle) * turns > middle ? low : high) = middle;
        }
        return high;
    }

    /// What atomics add behind all else, of those that take so long in all: where a block has them
    /// behind its last load, those of the last wave come when nothing else is left to do.
    [[nodiscard]] double last_atomics_ns(double atomics_ns) const
    {
        return by_warps_ ? late_atomics_ * atomics_ns / std::max(1.0, turns_ / resident_) : 0;
    }

    /// At which share of the launch a block begins before which this share of the grid comes: as
    /// many as all multiprocessors hold begin at once.
    [[nodiscard]] double begins(double share) const
    {
        return std::max(0.0, share - resident_ / turns_);
    }

    /// How much longer the last wave makes the launch, if it takes `total_ns` besides. Its blocks
    /// have the multiprocessor for themselves, however few they are.
    [[nodiscard]] double tail_ns(double total_ns) const
    {
        const double last = turns_ - std::floor(turns_ / resident_ + 1e-9) * resident_;
        if (last <= 1e-9 * resident_)
            return 0;
        return std::max(0.0, life_ns(total_ns, last) - last / resident_ * life_ns(total_ns));
    }

  private:
    /// How long customers are at a unit that serves each for `own_ns`, if they are elsewhere for
    /// `elsewhere_ns`, and do not leave before `other_ns`: mean value analysis of a closed queue,
    /// adding one after the other. The one that arrives finds the queue that there is without it.
    static double at_unit(double customers, double own_ns, double elsewhere_ns, double other_ns = 0)
    {
        double queue = 0, at = own_ns;
        for (double some = 0; some < customers - 1e-9;) {
            some = std::min(some + 1, customers);
            at = own_ns * (1 + queue);
            queue = some * at / (elsewhere_ns + std::max(at, other_ns));
        }
        return at;
    }

    /// Blocks take turns at the load-store unit and at what executes instructions. Their warps are
    /// at both at once.
    [[nodiscard]] double life_of_blocks(double elsewhere_ns, double resident) const
    {
        double lsu_queue = 0, arithmetic_queue = 0, life = 0;
        for (int blocks = 1; blocks <= std::max(1.0, std::floor(resident)); ++blocks) {
            const double at_lsu = lsu_ns_ * (1 + lsu_queue);
            const double at_arithmetic = arithmetic_ns_ * (1 + arithmetic_queue);
            life = elsewhere_ns + std::max(at_lsu, at_arithmetic);
            lsu_queue = blocks * at_lsu / life;
            arithmetic_queue = blocks * at_arithmetic / life;
        }
        return life;
    }

    /// Warps do, each at its scheduler; but those of a block that meet at barriers come to the
    /// units together, and the last of them makes its life.
    [[nodiscard]] double life_of_warps(double elsewhere_ns, double resident) const
    {
        constexpr double schedulers = 4;
        const double blocks = std::max(1.0, std::ceil(resident - 1e-9)); // where most of them are
        const double at_arithmetic =
            together_ && by_warps_
                ? at_unit(blocks, arithmetic_ns_, elsewhere_ns, lsu_ns_)
                : at_unit(std::max(1.0, blocks * warps_ / schedulers),
                          arithmetic_ns_ * schedulers / warps_, elsewhere_ns, lsu_ns_);
        const double at_lsu =
            in_step_ ? at_unit(blocks, lsu_ns_, elsewhere_ns, at_arithmetic)
                     : at_unit(blocks * warps_, lsu_ns_ / warps_, elsewhere_ns, at_arithmetic);
        return std::max(lsu_ns_, elsewhere_ns + std::max(at_lsu, at_arithmetic));
    }

    const Card& card_;
    Waits waits_;
    double warps_;             ///< of a block
    double turns_;             ///< blocks that live there one after the other, or together
    double resident_;          ///< together
    double lsu_ns_;            ///< that one block needs of the load-store unit
    double busy_;              ///< ns that all bytes take at DRAM's peak
    double arithmetic_ns_ = 0; ///< that one block needs for its instructions; 0: unknown
    double stalled_ns_ = 0;    ///< of its life, between instructions
    bool by_warps_ = false;    ///< their machine code is known
    bool in_step_ = false;     ///< they meet at barriers,
    bool together_ = false;    ///< and so often that they come to all units together
    double late_atomics_ = 0;  ///< share of a block's
    double queue_ns_ = 0;      ///< weight of the queue before DRAM
    double alone_ns_ = 0;      ///< a block's life without queues and without the load-store unit
    double longest_ns_ = 0;    ///< that of the block with the longest warp
};

} // namespace

Demand demand(const LaunchRecord& launch, const Traffic& traffic, const Card& card,
              int registers_per_thread, std::size_t shared_bytes_per_block)
{
    const Counts& counts = launch.counts;
    Demand asked;
    asked.blocks = static_cast<double>(launch.grid[0]) * launch.grid[1] * launch.grid[2];
    asked.threads = static_cast<int>(launch.block[0] * launch.block[1] * launch.block[2]);
    asked.dimensions = 1 + (launch.block[1] > 1) + (launch.block[2] > 1);
    asked.resident =
        resident_blocks(card.limits, asked.threads, registers_per_thread, shared_bytes_per_block);
    const int warps_of_a_block = (asked.threads + 31) / 32;
    const double warps = asked.blocks * warps_of_a_block;
    const auto shared =
        traffic.shared_wavefronts *
            static_cast<double>(counts.shared_load_requests + counts.shared_store_requests +
                                counts.shared_atomic_requests) +
        static_cast<double>(counts.shared_load_conflicts + counts.shared_store_conflicts +
                            counts.shared_atomic_conflicts);
    asked.requests =
        static_cast<double>(counts.load_requests + counts.store_requests + counts.atomic_requests +
                            counts.local_load_requests + counts.local_store_requests);
    asked.repeated_requests = traffic.repeated_requests;
    asked.shared_requests = static_cast<double>(
        counts.shared_load_requests + counts.shared_store_requests + counts.shared_atomic_requests);
    // A thread's index goes through the load-store unit, each dimension of it.
    asked.shared_wavefronts = shared;
    asked.wavefronts = traffic.global_wavefronts + shared + warps * asked.dimensions;
    // A kernel reads about two parameters a warp.
    asked.constant_wavefronts = static_cast<double>(counts.constant_wavefronts) + 2 * warps;
    asked.l2_read_sectors = traffic.l2_read_sectors;
    asked.l2_read_requests = traffic.l2_read_requests;
    asked.l2_write_sectors = traffic.l2_write_sectors;
    asked.l2_write_packets = traffic.l2_write_requests;
    // Local memory is written in whole sectors.
    asked.store_bytes =
        static_cast<double>(counts.store_bytes + Counts::sector_bytes * counts.local_store_sectors);
    asked.l2_joint_lines = traffic.l2_joint_lines;
    asked.l2_early_sectors = traffic.l2_early_sectors;
    asked.l2_atomic_sectors = traffic.l2_atomic_sectors;
    asked.atomics_in_one_slice = traffic.atomics_in_one_slice;
    asked.late_atomics = traffic.late_atomics;
    asked.dram_run_bytes = traffic.dram_run_bytes;
    asked.dram_bytes_read = traffic.dram_bytes_read;
    asked.dram_bytes_written = traffic.dram_bytes_written;
    asked.dram_bytes_unused = traffic.dram_bytes_unused;
    asked.dram_phases = traffic.dram_phases;
    asked.l2_phases = traffic.l2_phases;
    asked.l1_phases = traffic.l1_phases;
    asked.dram_loads = traffic.dram_loads;
    asked.l2_loads = traffic.l2_loads;
    asked.l1_loads = traffic.l1_loads;
    asked.barriers = traffic.barriers;
    asked.longest_warp = traffic.longest_warp;
    asked.longest_begins = traffic.longest_begins;
    asked.link_ns = link_ns(counts, card);
    return asked;
}

std::string_view untimed(const Traffic& traffic)
{
    // One block that adds up what the others have written comes last, and waits for nobody.
    return traffic.waiting_blocks > 0.5
               ? "its blocks read what other blocks of the launch write, and how long they wait "
                 "for that cannot be told from what was counted"
               : "";
}

ModelledTime predict(const Demand& demand, const Card& card)
{
    if (demand.blocks < 1)
        throw std::invalid_argument("A launch without a block has no time to model.");
    if (demand.resident < 1)
        throw std::invalid_argument(fmt::format(
            "No block of {} threads fits on a multiprocessor of the {}: it needs fewer registers, "
            "or less shared memory.",
            demand.threads, card.option));
    const double cycles = card.limits.multiprocessors * card.clock_ghz(); // a ns, of all together
    const bool mostly_shared = demand.shared_wavefronts > demand.wavefronts / 2;
    const Bound arithmetic = arithmetic_ns(demand, card, cycles);
    std::vector<Bound> bounds = {
        {"blocks", demand.blocks / card.launch_rate},
        {mostly_shared ? "shared" : "lsu", demand.wavefronts / cycles / card.lsu_rate},
        {"constant", demand.constant_wavefronts / cycles / card.constant_rate},
        arithmetic,
        {"l2", l2_ns(demand, card)},
        {"dram", dram_ns(demand, card)},
        {"atomics", atomics_ns(demand, card)}};
    if (demand.link_ns > 0)
        bounds.push_back({"link", demand.link_ns});
    const Bound busiest = *std::max_element(
        bounds.begin(), bounds.end(), [](const Bound& a, const Bound& b) { return a.ms < b.ms; });

    const Multiprocessor multiprocessor(demand, card);
    const double lived = multiprocessor.total_ns(busiest.ms / 2);
    const double last_atomics = multiprocessor.last_atomics_ns(atomics_ns(demand, card));
    const double longest =
        std::max(lived, units_ns(bounds, last_atomics, demand.cycles > 0)) + last_atomics;
    const double tail = multiprocessor.tail_ns(longest);
    constexpr double longer = 1.2; // a warp at the edge of a grid may ask for a little more
    const double straggler =
        demand.longest_warp > longer
            ? multiprocessor.begins(demand.longest_begins) * longest + multiprocessor.longest_ns()
            : 0;
    bounds.push_back({"latency", lived});
    bounds.push_back({"tail", tail});
    if (straggler > 0)
        bounds.push_back({"straggler", straggler});
    const double total = std::max(longest + tail, straggler);
    constexpr double much = 1.1; // of a straggler, which is mostly one of the last blocks

    constexpr double busy = 0.9; // a unit that is busy for this share of the time is what limits it
    // Warps wait for their turn to execute long before that: without what is beyond the assumption
    // kernels whose instructions take half of the time would be a fifth to a half faster.
    const bool computes =
        demand.instructions > 0 && busiest.name == arithmetic.name && busiest.ms > longest / 2;
    // In whole nanoseconds, as a file of results has it, so that both show the same four digits.
    ModelledTime time{.ms = std::round(total + card.launch_ns) / ns_per_ms,
                      .limited_by = straggler > much * (longest + tail)        ? "straggler"
                                    : busiest.ms < busy * longest && !computes ? "latency"
                                                                               : busiest.name,
                      .bounds = std::move(bounds)};
    for (Bound& bound : time.bounds)
        bound.ms /= ns_per_ms;
    return time;
}

} // namespace common
