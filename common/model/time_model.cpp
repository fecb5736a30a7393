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

/// What happens on one multiprocessor: blocks live there, and take turns at its units.
class Multiprocessor
{
  public:
    Multiprocessor(const Demand& demand, const Card& card)
        : warps_(std::ceil(demand.threads / 32.0)),
          // Fewer than a wave: some multiprocessors hold less than they could.
          turns_(demand.blocks / card.limits.multiprocessors),
          resident_(std::min(demand.resident, turns_)),
          lsu_ns_(demand.wavefronts / demand.blocks / card.clock_ghz() / card.lsu_rate),
          busy_(dram_work(demand, card) / card.peak())
    {
        const double written = share_written(demand);
        queue_ns_ = card.read_queue_ns + card.mixed_queue_ns * written * (1 - written);
        // From DRAM and from L2 alike each line of a wait but the first comes some ns after the
        // last; before those from DRAM those from L2 have come.
        const double far = demand.dram_phases + demand.l2_phases;
        const double lines = far > 0 ? demand.l2_read_requests / demand.blocks / warps_ / far : 0;
        const double read = 32 * demand.l2_read_sectors;
        const double fetched = read > 0 ? std::min(1.0, demand.dram_bytes_read / read) : 1;
        const auto lines_ns = [&card](double of_a_wait) {
            return card.line_ns * std::clamp(of_a_wait - 1, 0.0, 15.0);
        };
        const double own_ns = card.block_ns + card.warp_ns * (warps_ - 8) +
                              card.dimension_ns * (demand.dimensions - 1);
        const double waits_ns = card.barrier_ns * demand.barriers +
                                demand.dram_phases * (card.dram_ns + lines_ns(lines * fetched)) +
                                demand.l2_phases * (card.l2_ns + lines_ns(lines)) + demand.l1_phases * card.l1_ns;
        alone_ns_ = own_ns + waits_ns;
        dram_waits_ = demand.dram_phases;
        rounds_ = std::max(1.0, demand.dram_phases + demand.l2_phases + demand.l1_phases);
        in_step_ = demand.barriers > 0;
        longest_ns_ = own_ns + demand.longest_warp * waits_ns;
    }

    /// The life of the block with the longest warp, on a card that does nothing else.
    [[nodiscard]] double longest_ns() const { return longest_ns_; }

    /// From a block's start until its place is free, if the launch takes `total_ns` and so many
    /// blocks live there.
    [[nodiscard]] double life_ns(double total_ns, double blocks) const
    {
        const double used = std::min(busy_ / total_ns, 0.999);
        const double waited = alone_ns_ + dram_waits_ * queue_ns_ * used / (1 - used);
        const double together =
            at_unit(std::max(1.0, std::floor(blocks)), lsu_ns_, std::max(waited, lsu_ns_)) +
            std::max(waited, lsu_ns_);
        if (in_step_)
            return together;
        // Warps start together, and have drifted apart after the first round.
        const double warps = std::max(1.0, std::ceil(blocks - 1e-9)) * warps_;
        const double apart = std::max(lsu_ns_, waited + at_unit(warps, lsu_ns_ / warps_, waited));
        return (together + (rounds_ - 1) * apart) / rounds_;
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
    /// `elsewhere_ns`: mean value analysis of a closed queue, adding one after the other. The one
    /// that arrives finds the queue that there is without it.
    static double at_unit(double customers, double own_ns, double elsewhere_ns)
    {
        double queue = 0, at = own_ns;
        for (double some = 0; some < customers - 1e-9;) {
            some = std::min(some + 1, customers);
            at = own_ns * (1 + queue);
            queue = some * at / (elsewhere_ns + at);
        }
        return at;
    }

    double warps_;             ///< of a block
    double turns_;             ///< blocks that live there one after the other, or together
    double resident_;          ///< together
    double lsu_ns_;            ///< that one block needs of the load-store unit
    double busy_;              ///< ns that all bytes take at DRAM's peak
    double dram_waits_ = 0;    ///< of one block
    double rounds_ = 1;        ///< of waits
    bool in_step_ = false;     ///< its warps meet at barriers
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
    const auto threads = static_cast<int>(launch.block[0] * launch.block[1] * launch.block[2]);
    asked.threads = threads;
    asked.dimensions = 1 + (launch.block[1] > 1) + (launch.block[2] > 1);
    asked.resident =
        resident_blocks(card.limits, threads, registers_per_thread, shared_bytes_per_block);
    const int warps_of_a_block = (threads + 31) / 32;
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
    asked.dram_run_bytes = traffic.dram_run_bytes;
    asked.dram_bytes_read = traffic.dram_bytes_read;
    asked.dram_bytes_written = traffic.dram_bytes_written;
    asked.dram_bytes_unused = traffic.dram_bytes_unused;
    asked.dram_phases = traffic.dram_phases;
    asked.l2_phases = traffic.l2_phases;
    asked.l1_phases = traffic.l1_phases;
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
    std::vector<Bound> bounds = {
        {"blocks", demand.blocks / card.launch_rate},
        {mostly_shared ? "shared" : "lsu", demand.wavefronts / cycles / card.lsu_rate},
        {"constant", demand.constant_wavefronts / cycles / card.constant_rate},
        {"issue", assumed_instructions(demand, card) / cycles / card.issue_rate},
        {"l2", l2_ns(demand, card)},
        {"dram", dram_ns(demand, card)},
        {"atomics", atomics_ns(demand, card)}};
    if (demand.link_ns > 0)
        bounds.push_back({"link", demand.link_ns});
    const Bound busiest = *std::max_element(
        bounds.begin(), bounds.end(), [](const Bound& a, const Bound& b) { return a.ms < b.ms; });

    const Multiprocessor multiprocessor(demand, card);
    const double lived = multiprocessor.total_ns(busiest.ms / 2);
    const double longest = std::max(lived, busiest.ms);
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
    // In whole nanoseconds, as a file of results has it, so that both show the same four digits.
    ModelledTime time{.ms = std::round(total + card.launch_ns) / ns_per_ms,
                      .limited_by = straggler > much * (longest + tail)        ? "straggler"
                                    : busiest.ms < busy * longest                  ? "latency"
                                                                               : busiest.name,
                      .bounds = std::move(bounds)};
    for (Bound& bound : time.bounds)
        bound.ms /= ns_per_ms;
    return time;
}

} // namespace common
