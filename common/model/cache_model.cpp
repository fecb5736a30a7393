#include "common/model/cache_model.hpp"

#include <cpu_device/counts.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <deque>
#include <random>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>

namespace common {

using cpu_device::Counts;
using cpu_device::line_bytes;
using cpu_device::line_sectors;
using cpu_device::Step;
using cpu_device::TracedSector;

namespace {

constexpr unsigned unrolled_alone = 16; ///< likewise of a loop that has a single load,
constexpr unsigned unrolled_whole = 32; ///< unless it has no more rounds than these
constexpr std::size_t schedulers = 4;   ///< of an SM

std::size_t lines_of_l1(unsigned blocks, std::size_t shared_bytes, const Card& card)
{
    // 32 KiB if no kernel requests any.
    const std::size_t needed = std::max<std::size_t>(
        blocks * (shared_bytes + card.limits.reserved_shared_bytes_per_block), 32 * 1024);
    std::size_t carved = 0;
    for (const std::size_t kib : card.carve_outs_kib)
        if (carved < needed)
            carved = kib * 1024;
    return (card.l1_bytes - carved) / line_bytes;
}

/// The clock of an SM, in turns of its warps.
using Turns = std::uint32_t;

/// The sectors of a step.
std::span<const TracedSector> sectors(const BlockTrace& block, const TracedStep& step)
{
    return std::span(block.sectors).subspan(step.first, step.count);
}

/// A sector, and the bytes of it that one block loads, or stores.
using Touched = std::pair<std::uintptr_t, std::uint32_t>;

constexpr std::uint32_t whole_sector = ~std::uint32_t{0};

/// Calls `each` with the sectors of a block's steps of that kind, in order.
template<class Each>
void for_each_sector(const BlockTrace& block, Step kind, const Each& each)
{
    for (const auto& warp : block.warps)
        for (const TracedStep& step : warp)
            if (step.step == kind)
                for (const TracedSector& sector : sectors(block, step))
                    each(sector);
}

/// The sectors that a block loads, or stores, in order, each once.
std::vector<Touched> touched(const BlockTrace& block, Step kind)
{
    std::vector<Touched> found;
    for_each_sector(block, kind, [&](const TracedSector& sector) {
        found.emplace_back(sector.number, sector.bytes);
    });
    // Atomics do both, and L2 has the whole sector for it.
    for_each_sector(block, Step::atomic, [&](const TracedSector& sector) {
        found.emplace_back(sector.number, whole_sector);
    });
    std::sort(found.begin(), found.end());
    std::size_t last = 0;
    for (const Touched& one : found)
        if (found[last].first == one.first)
            found[last].second |= one.second;
        else
            found[++last] = one;
    found.resize(found.empty() ? 0 : last + 1);
    return found;
}

/// What DRAM moves for runs of sectors, and how many of its rows are opened for it.
struct Runs
{
    double bytes = 0;
    double rows = 0;

    /// Adds those of one block. Sectors with less than a line between them are of one row.
    void add(const std::vector<Touched>& sectors)
    {
        for (std::size_t i = 0; i < sectors.size();) {
            const std::size_t first = i;
            std::size_t pairs = 0;
            do
                pairs += i == first || sectors[i].first / 2 != sectors[i - 1].first / 2;
            while (++i < sectors.size() && sectors[i].first - sectors[i - 1].first <= line_sectors);
            const double moved = 2.0 * Counts::sector_bytes * static_cast<double>(pairs);
            bytes += moved;
            rows += moved / static_cast<double>(Counts::sector_bytes * (i - first));
        }
    }
};

/// What the blocks of a sample need of places in memory, if none of them stands at its edge.
/// There a block shares a place with blocks that are not in the sample, so that too many seem
/// to be needed. The blocks in the middle of the sample tell how many each byte that is loaded,
/// or stored, needs: of a place its share of the bytes.
struct Needed
{
    double places = 0;
    double in_part = 0; ///< of these, with bytes that nobody wants
};

/// Of the pairs of sectors that are loaded (Step::load), or of the sectors that are stored; and
/// their runs.
Needed needed(const std::vector<BlockTrace>& blocks, Step kind, Runs& runs)
{
    struct Place
    {
        double inside = 0; ///< bytes that blocks in the middle load, or store,
        double all = 0;    ///< and that all do, each block its own
        std::uint32_t bytes = 0;
    };
    std::unordered_map<std::uintptr_t, Place> places;
    const std::size_t sectors = kind == Step::load ? 2 : 1;
    const std::size_t end = blocks.size() * 11 / 20;
    for (std::size_t i = blocks.size() * 9 / 20; i <= end && i < blocks.size(); ++i)
        for (const auto& [number, bytes] : touched(blocks[i], kind))
            places[number / sectors].inside += std::popcount(bytes);
    double all = 0;
    for (const BlockTrace& block : blocks) {
        const std::vector<Touched> here = touched(block, kind);
        runs.add(here);
        for (const auto& [number, bytes] : here) {
            all += std::popcount(bytes);
            if (const auto place = places.find(number / sectors); place != places.end()) {
                place->second.all += std::popcount(bytes);
                place->second.bytes |= bytes;
            }
        }
    }
    double inside = 0;
    Needed found;
    for (const auto& [_, place] : places) {
        inside += place.inside;
        found.places += place.inside / place.all;
        found.in_part += place.bytes != whole_sector ? place.inside / place.all : 0;
    }
    const double scale = inside > 0 ? all / inside : 0;
    return {scale * found.places, scale * found.in_part};
}

/// The sectors of DRAM that have come to the L2, in pairs.
class L2
{
  public:
    explicit L2(const Card& card)
        : wait(static_cast<Turns>(card.limits.max_threads_per_multiprocessor /
                                  card.limits.warp_size)),
          holds_(card.l2_effective_bytes)
    {}
    /// True if it was there at `now`, by the clock of the SM that asks.
    bool read(std::uintptr_t sector, Turns now)
    {
        Pair& pair = pair_of(sector);
        if (pair.loaded)
            return now >= pair.there; // else in flight
        if (pair.written[sector % 2] == whole_sector)
            return true;
        pair.loaded = true;
        pair.there = now + wait / 2;
        return false;
    }
    void write(std::uintptr_t sector, std::uint32_t bytes)
    {
        pair_of(sector).written[sector % 2] |= bytes;
    }

    /// Adds what DRAM sees of it, if this is one part in `scale` of a launch whose blocks need
    /// that of what they load and store (nothing: as it is). Returns the reads of DRAM over those
    /// of a launch whose blocks load everything once: less where L2 holds some of it, more where it
    /// has lost what they had.
    double add_to(Traffic& traffic, double scale, const Needed& loads, const Needed& stores,
                  const OfGrid& of_all)
    {
        double dirty = 0;
        double partial = 0;
        double alone = 0; // of these, the other half of whose pair is not used
        double pairs = 0;
        for (const auto& [_, row] : rows_)
            for (const Pair& pair : row) {
                pairs += pair.loaded;
                for (const std::size_t half : {0, 1}) {
                    const std::uint32_t written = pair.written[half];
                    dirty += written != 0;
                    if (written == 0 || written == whole_sector || pair.loaded)
                        continue;
                    ++partial;
                    alone += pair.written[1 - half] == 0;
                }
            }
        if (loads.places > 0)
            pairs = std::min(pairs, loads.places);
        if (stores.places > 0) {
            // These share what they store with blocks that are not in the sample.
            dirty = std::min(dirty, stores.places);
            alone *= partial > 0 ? std::min(1.0, stores.in_part / partial) : 0;
            partial = std::min(partial, stores.in_part);
        }
        double read = scale * pairs * pair_bytes;
        double share = 1;
        if (of_all.bytes > 0) {
            const double fetched = std::min(read, of_all.bytes) + of_all.again_bytes;
            share = fetched / std::exchange(read, fetched);
        }
        dirty *= scale * Counts::sector_bytes;
        const double passed = read + dirty;
        const double left = passed > 0 ? std::max(0.0, 1 - holds_ / passed) : 0;
        const double partial_bytes = left * scale * Counts::sector_bytes;
        traffic.dram_bytes_read = read + partial_bytes * partial;
        traffic.dram_bytes_written = left * dirty;
        traffic.dram_bytes_unused = partial_bytes * 2 * alone; // read, and written
        return share;
    }

    /// A wait takes as long as the turns of all warps that an SM can hold: with fewer it has
    /// nothing to do for a while. What was requested is in flight for half of it: what is left of
    /// the wait is from then on nearer to none than to all of it.
    const Turns wait;

  private:
    struct Pair
    {
        std::array<std::uint32_t, 2> written{}; ///< bytes of each sector, one bit each
        Turns there = 0;                        ///< when it has come
        bool loaded = false;
    };

    static constexpr std::size_t side_by_side = 4;
    /// What one request touches is found at once.
    using PairRow = std::array<Pair, side_by_side>;

    Pair& pair_of(std::uintptr_t sector)
    {
        const std::uintptr_t pair = sector / pair_sectors;
        if (std::exchange(last_number_, pair / side_by_side) != pair / side_by_side)
            last_ = &rows_[last_number_];
        return (*last_)[pair % side_by_side];
    }

    std::unordered_map<std::uintptr_t, PairRow> rows_; ///< by number
    std::uintptr_t last_number_ = UINTPTR_MAX;
    PairRow* last_ = nullptr; ///< of that number
    double holds_;            ///< Card::l2_effective_bytes
};

/// How often somebody waited, by the farthest memory that was waited for.
using Phases = std::array<double, 3>;
enum Level : std::uint8_t
{
    in_l1,
    in_l2,
    in_dram,
    levels
};

/// What is known of a block's waits.
struct BlockWaits
{
    std::vector<Phases> longest; ///< between barriers, of the warp that waits most
    Phases sum{};                ///< of all warps
};

/// A warp of a block that runs.
struct Warp
{
    const BlockTrace* block = nullptr;
    const std::vector<TracedStep>* steps = nullptr;
    std::vector<std::size_t> waits; ///< all of them
    std::size_t waited = 0;         ///< how many of them are over
    std::size_t next = 0;           ///< step
    std::size_t slot = 0;           ///< of its block
    std::size_t barriers = 0;       ///< passed
    Phases phases{};                ///< since the last of them
    Level farthest = in_l1;         ///< that it waits for,
    Level copied = in_l1;           ///< and that its asynchronous copies come from
    Turns ready_at = 0;             ///< when its wait is over
};

/// True of a load whose bytes go to shared memory by themselves.
bool copies(const std::vector<TracedStep>& warp, std::size_t step)
{
    return step + 2 < warp.size() && warp[step].step == Step::load &&
           warp[step + 1].step == Step::shared_store && warp[step + 2].step == Step::copied;
}

/// Sites of loads that a loop makes too often for the compiler to unroll it whole.
std::set<std::uint32_t> long_loops(const std::vector<TracedStep>& warp)
{
    std::set<std::uint32_t> found;
    if (warp.size() <= unrolled_whole)
        return found;
    std::unordered_map<std::uint32_t, unsigned> rounds; // so far, of each site
    for (std::size_t i = 0; i < warp.size(); ++i) {
        if (warp[i].step == Step::round || warp[i].step == Step::barrier)
            rounds.clear();
        else if (warp[i].step == Step::load && !copies(warp, i) &&
                 ++rounds[warp[i].site] > unrolled_whole)
            found.insert(warp[i].site);
    }
    return found;
}

/// Share of the blocks that load bytes which an earlier block has stored.
double waiting_blocks(const std::vector<BlockTrace>& blocks)
{
    std::unordered_map<std::uintptr_t, std::uint32_t> stored; // by the blocks so far
    std::size_t waiting = 0;
    for (const BlockTrace& block : blocks) {
        bool waits = false;
        for_each_sector(block, Step::load, [&](const TracedSector& sector) {
            const auto found = stored.find(sector.number);
            waits |= found != stored.end() && (sector.bytes & found->second) != 0;
        });
        waiting += waits;
        for_each_sector(block, Step::store,
                        [&](const TracedSector& sector) { stored[sector.number] |= sector.bytes; });
    }
    return static_cast<double>(waiting) / static_cast<double>(blocks.size());
}

/// What the SMs have in common.
struct SimulatedLaunch
{
    const std::vector<BlockTrace>& blocks;
    const Card& card;
    L2 l2;
    Traffic traffic = {};
    Phases phases{}; ///< of all blocks
    double shared_requests = 0;
    double shared_wavefronts = 0;    ///< of these, without conflicts
    double requests = 0;             ///< of global memory
    std::size_t multiprocessors = 1; ///< that have blocks of the sample
};

class Multiprocessor
{
  public:
    /// Runs block `first` of the launch and each that stands a number of SMs behind
    /// it. A `warm` L1 is full: of the sectors in `common`, and of lines that nobody will want
    /// again.
    Multiprocessor(SimulatedLaunch& launch, std::size_t first, unsigned blocks, std::size_t lines,
                   bool warm, const std::set<std::uintptr_t>& common)
        : launch_(launch), next_(first), random_(static_cast<unsigned>(first + 1)),
          chance_(static_cast<unsigned>(first + 1)), most_lines_(lines), left_(blocks, 0),
          waited_(blocks)
    {
        lines_.resize(warm ? lines : 0);
        for (const std::uintptr_t sector : common) {
            Line& line = line_of(sector / line_sectors);
            line.present[sector % line_sectors] = true;
            line.again = true;
        }
        for (std::size_t slot = 0; slot < blocks; ++slot)
            start(slot);
    }

    /// Runs warps for a number of steps. False if none can run.
    bool run_warps()
    {
        constexpr int while_steps = 64;
        for (int i = 0; i < while_steps; ++i) {
            Warp* warp = pick();
            if (warp == nullptr)
                return false;
            step(*warp);
        }
        return true;
    }

    /// Sends what the queue of stores still holds.
    void flush()
    {
        while (!stores_.empty())
            send_oldest();
    }

  private:
    struct Line
    {
        std::uintptr_t number = UINTPTR_MAX;
        bool again = false;        ///< several requests have touched it
        std::uint64_t request = 0; ///< the last that did
        std::uint64_t asked = 0;   ///< the last for which the L2 was asked
        std::array<bool, line_sectors> present{};
        std::array<Level, line_sectors> from{};  ///< where it came from,
        std::array<Turns, line_sectors> there{}; ///< and when
    };
    struct Store
    {
        const void* warp = nullptr; ///< its steps
        std::uintptr_t line = 0;
        std::array<std::uint32_t, line_sectors> bytes{};
    };

    /// Starts the next block in `slot`, if there is one.
    void start(std::size_t slot)
    {
        if (next_ >= launch_.blocks.size())
            return;
        const BlockTrace& block = launch_.blocks[next_];
        next_ += launch_.multiprocessors;
        for (const auto& steps : block.warps) {
            if (steps.empty())
                continue;
            ready_.push_back(
                {.block = &block, .steps = &steps, .waits = waits(steps), .slot = slot});
            ++left_[slot];
        }
    }

    Warp* pick()
    {
        const bool stays =
            goes_on_ && static_cast<double>(random_() % 100) < 100 * launch_.card.same_warp;
        const std::size_t first = stays ? scheduler_ : random_() % schedulers;
        for (std::size_t i = 0; i < schedulers; ++i) {
            scheduler_ = (first + i) % schedulers;
            auto& running = running_[scheduler_];
            if (running.steps == nullptr && !ready_.empty()) {
                running = std::move(ready_.front());
                ready_.pop_front();
                now_ = std::max(now_ + 1, running.ready_at);
                closed_ = std::min(closed_ + static_cast<std::size_t>(launch_.card.lines_closed),
                                   stores_.size());
            }
            if (running.steps != nullptr)
                return &running;
        }
        return nullptr;
    }

    void step(Warp& warp)
    {
        const TracedStep& step = (*warp.steps)[warp.next++];
        if (step.step == Step::shared_load || step.step == Step::shared_store) {
            ++launch_.shared_requests;
            launch_.shared_wavefronts += step.wavefronts;
        } else {
            launch_.traffic.global_wavefronts += step.wavefronts;
        }
        const std::span<const TracedSector> touched = sectors(*warp.block, step);
        goes_on_ = step.step == Step::store && lines(touched) <= launch_.card.few_lines;
        ++request_;
        launch_.requests += step.count > 0;
        Level& farthest = copies(*warp.steps, warp.next - 1) ? warp.copied : warp.farthest;
        for (const TracedSector& sector : touched)
            if (step.step == Step::load) {
                farthest = std::max(farthest, load(sector.number));
            } else if (step.step == Step::store) {
                store(warp, sector);
            } else {
                launch_.traffic.l2_atomic_sectors += sector.same;
                launch_.l2.read(sector.number, now_);
                launch_.l2.write(sector.number, whole_sector);
            }
        const bool ends = warp.next == warp.steps->size();
        const bool waits = warp.waited < warp.waits.size() && warp.waits[warp.waited] == warp.next;
        if (waits) {
            ++warp.waited;
            if (!ends && (*warp.steps)[warp.next].step == Step::arrived)
                warp.farthest = std::max(warp.farthest, std::exchange(warp.copied, in_l1));
            ++warp.phases[warp.farthest];
            warp.farthest = in_l1;
        }
        if (step.step == Step::barrier || ends)
            note_phases(warp);
        if (ends) {
            const std::size_t slot = warp.slot;
            const std::size_t warps = warp.block->warps.size();
            warp.steps = nullptr;
            if (--left_[slot] == 0) {
                end_block(slot, static_cast<double>(warps));
                start(slot);
            }
        } else if (waits) {
            warp.ready_at = now_ + launch_.l2.wait;
            ready_.push_back(std::exchange(warp, {}));
        }
    }

    /// Lines of sectors; those of a line follow each other.
    static double lines(std::span<const TracedSector> touched)
    {
        unsigned found = 0;
        std::uintptr_t last = UINTPTR_MAX;
        for (const TracedSector& sector : touched)
            found += std::exchange(last, sector.number / line_sectors) != last;
        return found;
    }

    /// The warp has come to a barrier, or to its end.
    void note_phases(Warp& warp)
    {
        BlockWaits& waited = waited_[warp.slot];
        waited.longest.resize(std::max(waited.longest.size(), warp.barriers + 1));
        Phases& longest = waited.longest[warp.barriers++];
        // The far memory first: one wait for it is longer than several for a near one.
        longest = std::max(longest, warp.phases, [](const Phases& one, const Phases& other) {
            return std::lexicographical_compare(one.rbegin(), one.rend(), other.rbegin(),
                                                other.rend());
        });
        for (std::size_t level = 0; level < levels; ++level)
            waited.sum[level] += warp.phases[level];
        warp.phases = {};
    }

    void end_block(std::size_t slot, double warps)
    {
        BlockWaits& waited = waited_[slot];
        for (std::size_t level = 0; level < levels; ++level) {
            double phases = 0;
            for (const Phases& longest : waited.longest)
                phases += longest[level];
            launch_.phases[level] += waited.longest.size() > 1 ? phases : waited.sum[level] / warps;
        }
        waited = {};
    }

    /// Where a sector comes from.
    Level load(std::uintptr_t sector)
    {
        Line& line = line_of(sector / line_sectors);
        const std::size_t part = sector % line_sectors;
        line.again |= line.request != 0 && line.request != request_;
        line.request = request_;
        if (line.present[part]) {
            ++launch_.traffic.l1_hit_sectors;
            // On its way, it is waited for like one that was not there.
            return now_ < line.there[part] ? line.from[part] : in_l1;
        }
        line.present[part] = true;
        line.from[part] = launch_.l2.read(sector, now_) ? in_l2 : in_dram;
        line.there[part] = now_ + launch_.l2.wait / 2;
        ++launch_.traffic.l2_read_sectors;
        launch_.traffic.l2_read_requests += std::exchange(line.asked, request_) != request_;
        return line.from[part];
    }

    /// The line of that number, which takes the place of another if it was not there.
    Line& line_of(std::uintptr_t number)
    {
        if (last_ < lines_.size() && lines_[last_].number == number)
            return lines_[last_];
        if (const auto found = places_.find(number); found != places_.end()) {
            last_ = found->second;
            return lines_[last_];
        }
        last_ = lines_.size();
        if (last_ < most_lines_)
            lines_.emplace_back();
        else // any line goes, but one that was touched again gets a second chance
            do
                last_ = chance_() % most_lines_;
            while (std::exchange(lines_[last_].again, false));
        Line& line = lines_[last_];
        if (auto node = places_.extract(line.number); !node.empty()) {
            node.key() = number;
            places_.insert(std::move(node));
        } else {
            places_.emplace(number, last_);
        }
        return line = {.number = number};
    }

    void store(const Warp& warp, const TracedSector& sector)
    {
        const std::uintptr_t number = sector.number / line_sectors;
        // The newest first: the sectors of a line follow each other.
        std::size_t place = stores_.size();
        auto found = std::find_if(stores_.rbegin(), stores_.rend(), [&](const Store& store) {
            --place;
            return store.line == number && (store.warp == warp.steps || place >= closed_);
        });
        if (found == stores_.rend()) {
            if (static_cast<double>(stores_.size()) >= launch_.card.store_queue_lines)
                send_oldest();
            stores_.push_back({warp.steps, number, {}});
            found = stores_.rbegin();
        }
        found->bytes[sector.number % line_sectors] |= sector.bytes;
    }

    void send_oldest()
    {
        const Store& store = stores_.front();
        ++launch_.traffic.l2_write_requests;
        for (std::size_t i = 0; i < line_sectors; ++i) {
            if (store.bytes[i] == 0)
                continue;
            ++launch_.traffic.l2_write_sectors;
            launch_.l2.write(store.line * line_sectors + i, store.bytes[i]);
        }
        stores_.pop_front();
        closed_ -= closed_ > 0;
    }

    SimulatedLaunch& launch_;
    std::size_t next_;        ///< block to start
    std::minstd_rand random_; ///< for the order of warps,
    std::minstd_rand chance_; ///< for the lines that go: the order does not depend on them
    std::vector<Line> lines_;
    std::unordered_map<std::uintptr_t, std::size_t> places_; ///< of lines, by their number
    std::size_t most_lines_;
    std::size_t last_ = 0;      ///< place of the line that was requested last
    std::uint64_t request_ = 0; ///< how many there were
    std::deque<Store> stores_;
    std::size_t closed_ = 0; ///< of these, the oldest, to which their own warps alone may add
    std::array<Warp, schedulers> running_;
    std::size_t scheduler_ = 0; ///< of the last step,
    bool goes_on_ = false;      ///< which was a store to few lines
    std::deque<Warp> ready_;
    Turns now_ = 0;
    std::vector<std::size_t> left_;  ///< warps of the block in each slot
    std::vector<BlockWaits> waited_; ///< by slot
};

/// Sectors that the first and the last block of a sample load: a vector, say, that all blocks read.
/// An SM has had them from a block before the sample.
std::set<std::uintptr_t> common_sectors(const std::vector<BlockTrace>& blocks)
{
    std::set<std::uintptr_t> first;
    std::set<std::uintptr_t> both;
    for_each_sector(blocks.front(), Step::load,
                    [&](const TracedSector& sector) { first.insert(sector.number); });
    for_each_sector(blocks.back(), Step::load, [&](const TracedSector& sector) {
        if (first.contains(sector.number))
            both.insert(sector.number);
    });
    return both;
}

/// The slice of the L2 that a block of 256 bytes lies in, as far as contended counters tell: of
/// 1, 2, 4, 8 and 16 blocks side by side 1, 2, 2, 4 and 8 slices are busy.
std::uintptr_t slice_of(std::uintptr_t memory_block)
{
    return memory_block / 4 * 2 + (memory_block ^ memory_block / 2) % 2;
}

/// The most atomics in one slice.
double contention(const std::vector<BlockTrace>& blocks)
{
    constexpr std::uintptr_t block_sectors = 256 / Counts::sector_bytes;
    std::unordered_map<std::uintptr_t, double> by_slice;
    double most = 0;
    for (const BlockTrace& block : blocks)
        for_each_sector(block, Step::atomic, [&](const TracedSector& sector) {
            most = std::max(most, by_slice[slice_of(sector.number / block_sectors)] += sector.same);
        });
    return most;
}

} // namespace

std::vector<std::size_t> waits(const std::vector<TracedStep>& warp)
{
    std::vector<std::size_t> found;
    std::vector<std::uint32_t> loading; // sites of the loads in flight
    bool of_shared = false;             // from shared memory
    bool unaliased = false;             // loads pass stores
    bool copying = false;               // to shared memory
    unsigned passed = 0;                // waits for all but the last copies
    const std::set<std::uint32_t> loops = long_loops(warp);
    const auto wait = [&](std::size_t before) {
        if (!loading.empty() || of_shared)
            found.push_back(before);
        loading.clear();
        of_shared = false;
    };
    for (std::size_t i = 0; i < warp.size(); ++i) {
        const TracedStep& step = warp[i];
        switch (step.step) {
        case Step::shared_load:
            of_shared = true;
            break;
        case Step::unaliased:
            unaliased = true;
            break;
        case Step::arrived:
            // One of so many in turn waits for a whole latency, and the others for nothing more.
            if (copying && passed++ >= step.lanes) {
                found.push_back(i);
                passed = 0;
                copying = step.lanes > 0;
            }
            break;
        case Step::need:
            if (i > 0 && (warp[i - 1].step == Step::load || warp[i - 1].step == Step::shared_load))
                wait(i);
            break;
        case Step::load: {
            if (copies(warp, i)) {
                copying = true;
                i += 2;
                break;
            }
            const auto same =
                static_cast<std::size_t>(std::count(loading.begin(), loading.end(), step.site));
            const std::size_t together = same == loading.size() ? unrolled_alone : unrolled;
            if (step.irregular || (same == together && loops.contains(step.site)))
                wait(i);
            loading.push_back(step.site);
            break;
        }
        default:
            if (step.step != Step::store || !unaliased || of_shared)
                wait(i);
        }
    }
    if (!loading.empty())
        found.push_back(warp.size());
    return found;
}

Traffic simulate_caches(const LaunchTrace& trace, const Card& card)
{
    const std::vector<BlockTrace>& blocks = trace.blocks;
    SimulatedLaunch launch{.blocks = blocks, .card = card, .l2 = L2(card)};
    const auto resident =
        static_cast<unsigned>(resident_blocks(card.limits, static_cast<int>(trace.threads),
                                              cpu_device::assumed_registers, trace.shared_bytes));
    const std::size_t lines = lines_of_l1(resident, trace.shared_bytes, card);
    const auto all = static_cast<std::size_t>(card.limits.multiprocessors);
    const bool sampled = blocks.size() < trace.grid_blocks;
    std::size_t count = std::min(blocks.size(), all);
    if (sampled) { // few that are as full as those of the grid rather than many with a block each
        const auto on_each = std::min<std::uint64_t>(resident, (trace.grid_blocks + all - 1) / all);
        count = std::clamp<std::size_t>(blocks.size() / on_each, 1, all);
    }
    launch.multiprocessors = count;
    const bool others_before =
        sampled && blocks.size() > 1 && trace.grid_blocks / 2 >= all * resident;
    const auto common = others_before ? common_sectors(blocks) : std::set<std::uintptr_t>();
    std::vector<Multiprocessor> multiprocessors;
    multiprocessors.reserve(count);
    for (std::size_t i = 0; i < count; ++i)
        multiprocessors.emplace_back(launch, i, resident, lines, sampled, common);
    for (bool busy = true; busy;) {
        busy = false;
        for (Multiprocessor& multiprocessor : multiprocessors)
            busy |= multiprocessor.run_warps();
    }
    for (Multiprocessor& multiprocessor : multiprocessors)
        multiprocessor.flush();

    Traffic& traffic = launch.traffic;
    const auto traced = static_cast<double>(blocks.size());
    const double of_grid = static_cast<double>(trace.grid_blocks) / traced;
    const double requests = launch.requests;
    // Blocks of a grid may differ in what they request: those that were traced stand for as many
    // as their requests do.
    const double scale = trace.requests > 0 && requests > 0
                             ? static_cast<double>(trace.requests) / requests
                             : of_grid;
    for (double* sectors :
         {&traffic.l1_hit_sectors, &traffic.l2_read_sectors, &traffic.l2_read_requests,
          &traffic.l2_write_sectors, &traffic.l2_write_requests, &traffic.l2_atomic_sectors,
          &traffic.global_wavefronts})
        *sectors *= scale;
    Runs runs;
    const Needed loads = needed(blocks, Step::load, runs);
    const Needed stores = needed(blocks, Step::store, runs);
    const OfGrid of_all = l2_of_grid(trace, card, resident);
    double from_dram = of_grid > 1 ? launch.l2.add_to(traffic, scale, loads, stores, of_all)
                                   : launch.l2.add_to(traffic, scale, {}, {}, of_all);
    const double waits = scale / of_grid / traced; // of a block
    const double warps = static_cast<double>(blocks.front().warps.size());
    // A phase waits for DRAM as long as one of its loads has to come from there.
    if (from_dram < 1)
        from_dram = std::clamp(
            traffic.dram_bytes_read / pair_bytes /
                (static_cast<double>(trace.grid_blocks) * warps * waits * launch.phases[in_dram]),
            from_dram, 1.0);
    const double far =
        std::min(from_dram * launch.phases[in_dram], launch.phases[in_dram] + launch.phases[in_l2]);
    traffic.dram_phases = waits * far;
    traffic.l2_phases = waits * (launch.phases[in_dram] + launch.phases[in_l2] - far);
    traffic.l1_phases = waits * launch.phases[in_l1];
    if (launch.shared_requests > 0)
        traffic.shared_wavefronts_each = launch.shared_wavefronts / launch.shared_requests;
    traffic.waiting_blocks = waiting_blocks(blocks);
    if (trace.requests > 0) {
        const double mean =
            static_cast<double>(trace.requests) / (static_cast<double>(trace.grid_blocks) * warps);
        traffic.longest_warp = static_cast<double>(trace.longest_requests) / mean;
    }
    traffic.atomics_in_one_slice = scale * contention(blocks);
    constexpr double many = 512;
    if (runs.bytes < many * runs.rows)
        traffic.dram_run_bytes = runs.bytes / runs.rows;
    return traffic;
}

} // namespace common
