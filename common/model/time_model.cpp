#include "common/model/time_model.hpp"

#include <cpu_device/counts.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
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

/// Bytes that keep DRAM as busy: a row that is opened costs as if it gave card.row_open_bytes more.
double dram_work(const Demand& demand, const Card& card)
{
    return dram_bytes(demand) + demand.dram_bytes_unused + demand.dram_rows * card.row_open_bytes;
}

/// What turns from reads to writes and back add, as a share: the more the more is written, but less
/// where there is little left to read.
double turnaround(const Demand& demand, const Card& card)
{
    const double written = share_written(demand);
    const double read = (1 - written) / (1 - card.turn_most) * card.turn_most;
    return card.rw_turnaround * written * std::min(written, read);
}

/// The units, each with the ns that it needs. Of L2 there are two: reads and writes share its data,
/// and what it sends to the SMs has a way of its own. Atomics wait for one slice, or for all.
std::vector<Bound> units(const Demand& d, const Card& card)
{
    // Blocks fewer than SMs leave some of them idle.
    const double active = std::min<double>(d.blocks, card.limits.multiprocessors);
    const double cycles = active * card.clock_ghz();
    const double busy_ns = d.l2_read_sectors * card.l2_read + d.l2_write_requests * card.l2_packet +
                           d.l2_write_sectors * card.l2_write +
                           d.l2_partial_sectors * card.l2_partial +
                           d.dram_bytes_read * card.l2_fill;
    const double returned_ns =
        std::max(d.l2_read_sectors * card.l2_return,
                 (d.l2_read_requests + d.l2_atomic_sectors) * card.l2_request) /
        (active / card.limits.multiprocessors);
    const bool mostly_shared = d.shared_wavefronts > d.wavefronts / 2;
    std::vector<Bound> found = {
        {"blocks", d.blocks / card.launch_rate},
        {mostly_shared ? "shared" : "lsu", d.wavefronts / (card.lsu_rate * cycles)},
        {"constant", d.constant_wavefronts / (card.constant_rate * cycles)},
        {"l2", std::max(busy_ns, returned_ns)},
        {"dram", dram_work(d, card) * (1 + turnaround(d, card)) / card.dram_rate},
        {"atomics",
         std::max(d.l2_atomic_sectors / card.atomics, d.atomics_in_one_slice / card.slice_atomics)},
        {"link", d.link_bytes / card.peer_gb_per_s}};
    std::erase_if(found, [](const Bound& unit) { return !(unit.ms > 0); });
    return found;
}

/// How long blocks of an SM live, one next to the other.
struct Residency
{
    Residency(const Demand& d, const Card& card)
        : rounds(d.blocks / card.limits.multiprocessors / d.resident),
          // Fewer than a wave: some SMs hold less than they could.
          resident(d.resident * std::min(rounds, 1.0)), dram_phases(d.dram_phases),
          lsu_ns(d.wavefronts / d.blocks / card.clock_ghz() / card.lsu_rate),
          busy_ns(dram_work(d, card) / card.peak())
    {
        rounds = std::max(rounds, 1.0);
        const double written = share_written(d);
        queue_ns = card.read_queue_ns + card.mixed_queue_ns * written * (1 - written);
        const double warps = std::ceil(d.threads / card.limits.warp_size);
        const double lines = d.l2_read_requests / d.blocks / warps; // that each warp waits for
        const double waits = d.dram_phases + d.l2_phases;
        alone_ns = card.block_ns + card.warp_ns * (warps - card.block_warps) +
                   card.dimension_ns * (d.dimensions - 1) + d.dram_phases * card.dram_ns +
                   d.l2_phases * card.l2_ns + d.l1_phases * card.l1_ns +
                   card.line_ns * std::clamp(lines - waits, 0.0, card.lines_most * waits);
    }

    /// What the launch takes if DRAM is as busy as in `total_ns`.
    [[nodiscard]] double all_lives_ns(double total_ns) const
    {
        return rounds * life_ns(total_ns, resident);
    }

    /// How much longer the last wave makes it: its blocks have the SMs for themselves,
    /// however few they are.
    [[nodiscard]] double tail_ns(double total_ns) const
    {
        const double last = (rounds - std::floor(rounds)) * resident;
        return last > accuracy ? std::max(0.0, life_ns(total_ns, last) -
                                                   last / resident * life_ns(total_ns, resident))
                               : 0;
    }

    /// The time in which all blocks have lived, at least `least_ns`: where Little's law and the
    /// queue agree.
    [[nodiscard]] double total_ns(double least_ns) const
    {
        double low = std::max(least_ns, busy_ns * (1 + accuracy));
        if (all_lives_ns(low) <= low)
            return low;
        double high = 2 * low;
        while (all_lives_ns(high) > high)
            high *= 2;
        while (high - low > accuracy * high) {
            const double middle = (low + high) / 2;
            (all_lives_ns(middle) > middle ? low : high) = middle;
        }
        return high;
    }

    static constexpr double accuracy = 1e-6;

    /// The lifetime of a block among so many of an SM, if DRAM is as busy as in `total_ns`.
    [[nodiscard]] double life_ns(double total_ns, double blocks) const
    {
        const double used = busy_ns / total_ns;
        const double waited = alone_ns + dram_phases * queue_ns * used / (1 - used);
        const double elsewhere = std::max(waited, lsu_ns);
        // Mean value analysis of a closed queue: a block that comes to the load-store unit finds
        // the queue that there is without it.
        double life = elsewhere + lsu_ns;
        for (double others = 1; others + 1 <= blocks; ++others)
            life = elsewhere + lsu_ns * (1 + others * (life - elsewhere) / life);
        return life;
    }

    double rounds;      ///< of blocks that live there, one after the other
    double resident;    ///< blocks that live there together
    double dram_phases; ///< of a block
    double lsu_ns;      ///< that one block needs of the load-store unit
    double busy_ns;     ///< that all bytes take at DRAM's peak
    double queue_ns;    ///< weight of the queue before DRAM
    double alone_ns;    ///< a block's lifetime without queues and without the load-store unit
};

} // namespace

Demand demand(const LaunchRecord& launch, const Traffic& traffic, const Card& card,
              int registers_per_thread, std::size_t shared_bytes_per_block)
{
    const Counts& counts = launch.counts;
    const auto threads = static_cast<int>(launch.block[0] * launch.block[1] * launch.block[2]);
    Demand asked{traffic};
    asked.blocks = static_cast<double>(launch.grid[0]) * launch.grid[1] * launch.grid[2];
    asked.threads = threads;
    asked.dimensions = 1 + (launch.block[1] > 1) + (launch.block[2] > 1);
    asked.resident =
        resident_blocks(card.limits, threads, registers_per_thread, shared_bytes_per_block);
    const int warps_per_block = (threads + 31) / 32;
    const double warps = asked.blocks * warps_per_block;
    asked.shared_wavefronts =
        traffic.shared_wavefronts_each *
            static_cast<double>(counts.shared_load_requests + counts.shared_store_requests +
                                counts.shared_atomic_requests) +
        static_cast<double>(counts.shared_load_conflicts + counts.shared_store_conflicts +
                            counts.shared_atomic_conflicts);
    // A thread's index goes through the load-store unit, each dimension of it; a kernel reads about
    // two parameters per warp.
    asked.wavefronts =
        traffic.global_wavefronts + asked.shared_wavefronts + warps * asked.dimensions;
    asked.constant_wavefronts = static_cast<double>(counts.constant_wavefronts) + 2 * warps;
    // Local memory is written in whole sectors.
    const auto whole = static_cast<double>(counts.store_bytes) / Counts::sector_bytes +
                       static_cast<double>(counts.local_store_sectors);
    asked.l2_partial_sectors = std::max(0.0, traffic.l2_write_sectors - whole);
    if (traffic.dram_run_bytes > 0)
        asked.dram_rows = (dram_bytes(asked) + asked.dram_bytes_unused) / traffic.dram_run_bytes;
    // Atomics read and write.
    const auto bytes = [](std::uint64_t sectors) {
        return static_cast<double>(Counts::sector_bytes * sectors);
    };
    const double read = bytes(counts.peer_load_sectors + counts.peer_atomic_sectors);
    const double written = bytes(counts.peer_store_sectors + counts.peer_atomic_sectors);
    asked.link_bytes = std::max(card.peer_accessed * read + card.peer_answered * written,
                                card.peer_accessed * written + card.peer_requested * read);
    return asked;
}

std::string_view untimed(const Traffic& traffic, const Demand& demand, const Card& card)
{
    // On the CPU device blocks run in order, a few at a time. One block that adds up what the
    // others have written comes last, and waits for nobody.
    if (traffic.waiting_blocks > 0.5)
        return "its blocks use data that other blocks of the launch write, and the counts do not "
               "show how long they may wait for it";
    if (demand.resident >= 1 && demand.longest_warp * Residency(demand, card).alone_ns >
                                    predict(demand, card).ms * ns_per_ms)
        return "one of its blocks does so much more work than the others that it may outlast them, "
               "and the counts do not show by how much";
    return "";
}

ModelledTime predict(const Demand& demand, const Card& card)
{
    if (demand.blocks < 1)
        throw std::invalid_argument("A launch without a block has no time to model.");
    if (demand.resident < 1)
        throw std::invalid_argument(
            fmt::format("No block of {} threads fits on an SM of the {}: use fewer registers "
                        "or less shared memory.",
                        demand.threads, card.option));
    std::vector<Bound> bounds = units(demand, card);
    const Bound busiest =
        *std::max_element(bounds.begin(), bounds.end(),
                          [](const Bound& one, const Bound& other) { return one.ms < other.ms; });
    const Residency residency(demand, card);
    const double waves = residency.total_ns(busiest.ms);
    bounds.push_back({"latency", residency.all_lives_ns(waves)});
    const double total = waves + residency.tail_ns(waves);
    // In whole nanoseconds, as a file of results has it, so that both show the same four digits.
    ModelledTime time{.ms = std::round(total + card.launch_ns) / ns_per_ms,
                      .limited_by =
                          busiest.ms < card.limiting_share * waves ? "latency" : busiest.name,
                      .bounds = std::move(bounds)};
    for (Bound& bound : time.bounds)
        bound.ms /= ns_per_ms;
    return time;
}

} // namespace common
