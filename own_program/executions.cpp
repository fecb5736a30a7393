#include "own_program/executions.hpp"

#include "own_program/schedule.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

namespace own_program {
namespace {

/// The blocks of a kernel as a graph: dominators and loops.
class Flow
{
  public:
    explicit Flow(const MachineCode& code) : blocks_(code.blocks), before_(blocks_.size())
    {
        std::vector<bool> reached(blocks_.size());
        for (std::vector<std::size_t> open = {0}; !open.empty();) {
            const std::size_t block = open.back();
            open.pop_back();
            if (reached[block])
                continue;
            reached[block] = true;
            for (const std::size_t next : blocks_[block].next)
                if (next < blocks_.size()) {
                    before_[next].push_back(block);
                    open.push_back(next);
                }
        }
        find_dominators();
        find_loops();
    }

    struct Loop
    {
        std::size_t header = 0;
        std::set<std::size_t> blocks;
        std::size_t outer = none; ///< the loop around it
    };
    static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

    [[nodiscard]] const std::vector<Loop>& loops() const { return loops_; } ///< inner ones first
    [[nodiscard]] const std::vector<std::size_t>& before(std::size_t block) const
    {
        return before_[block];
    }
    /// The innermost one that the block is in.
    [[nodiscard]] std::size_t loop_of(std::size_t block) const
    {
        for (std::size_t i = 0; i < loops_.size(); ++i)
            if (loops_[i].blocks.count(block) != 0)
                return i;
        return none;
    }
    [[nodiscard]] bool dominates(std::size_t one, std::size_t other) const
    {
        return dominators_[other][one];
    }
    /// True if one runs whenever the other does.
    [[nodiscard]] bool always_with(std::size_t one, std::size_t other) const
    {
        return dominators_[other][one] || behind_[other][one];
    }
    [[nodiscard]] bool reached(std::size_t block) const
    {
        return block == 0 || !before_[block].empty();
    }

  private:
    using Sets = std::vector<std::vector<bool>>; ///< of each block, which ones

    /// Which blocks of `neighbours` every way to a block leads through; `first` says whether ways
    /// begin there.
    template<class First>
    [[nodiscard]] static Sets on_every_way(const std::vector<std::vector<std::size_t>>& neighbours,
                                           First first)
    {
        const std::size_t size = neighbours.size();
        Sets found(size, std::vector<bool>(size, true));
        for (bool changed = true; changed;) {
            changed = false;
            for (std::size_t b = 0; b < size; ++b) {
                std::vector<bool> common(size, !first(b));
                for (const std::size_t from : neighbours[b])
                    for (std::size_t i = 0; i < size; ++i)
                        common[i] = common[i] && found[from][i];
                common[b] = true;
                changed = changed || common != found[b];
                found[b] = std::move(common);
            }
        }
        return found;
    }

    void find_dominators()
    {
        dominators_ = on_every_way(before_, [](std::size_t b) { return b == 0; });
        std::vector<std::vector<std::size_t>> next;
        for (const BasicBlock& block : blocks_) {
            next.emplace_back();
            std::ranges::copy_if(block.next, std::back_inserter(next.back()),
                                 [this](std::size_t to) { return to < blocks_.size(); });
        }
        behind_ = on_every_way(
            next, [this, &next](std::size_t b) { return next[b].size() < blocks_[b].next.size(); });
    }

    void find_loops()
    {
        std::map<std::size_t, std::set<std::size_t>> found; // by header
        for (std::size_t b = 0; b < blocks_.size(); ++b)
            for (const std::size_t header : blocks_[b].next) {
                if (header >= blocks_.size() || !dominates(header, b) || !reached(b))
                    continue;
                std::set<std::size_t>& loop = found[header];
                loop.insert(header);
                std::vector<std::size_t> open = {b};
                while (!open.empty()) {
                    const std::size_t block = open.back();
                    open.pop_back();
                    if (loop.insert(block).second)
                        open.insert(open.end(), before_[block].begin(), before_[block].end());
                }
            }
        for (auto& [header, blocks] : found)
            loops_.push_back({.header = header, .blocks = std::move(blocks)});
        std::ranges::sort(loops_, {}, [](const Loop& loop) { return loop.blocks.size(); });
        for (std::size_t i = 0; i < loops_.size(); ++i)
            for (std::size_t j = i + 1; j < loops_.size() && loops_[i].outer == none; ++j)
                if (loops_[j].blocks.count(loops_[i].header) != 0)
                    loops_[i].outer = j;
    }

    const std::vector<BasicBlock>& blocks_;
    std::vector<std::vector<std::size_t>> before_;
    Sets dominators_; ///< on every way to a block
    Sets behind_;     ///< and on every way from it to the end
    std::vector<Loop> loops_;
};

/// Splits a kernel's requests among its blocks.
class Executions
{
  public:
    Executions(const MachineCode& code, const std::vector<LineRequests>& requests)
        : blocks_(code.blocks), flow_(code), runs_(blocks_.size()), requests_(blocks_.size()),
          copies_(blocks_.size()), wavefronts_(blocks_.size())
    {
        for (std::size_t b = 0; b < blocks_.size(); ++b)
            loop_of_.push_back(flow_.loop_of(b));
        find_places(requests);
        for (const LineRequests& line : requests)
            all_requests_ += line.requests;
        const bool local = std::ranges::any_of(
            requests, [](const LineRequests& line) { return line.kind == AccessKind::local; });
        std::erase_if(places_, [local](const Place& place) {
            return place.copies.empty() || (local && place.kind == AccessKind::local);
        });
        for (const Place& place : places_)
            if (place.copies.size() == 1)
                credit(place);
        count_iterations();
        for (const Place& place : places_)
            if (place.copies.size() > 1)
                split(place);
        count_iterations();
        for (const Place& place : places_)
            guess(place);
        count_iterations();
        flow();
    }

    /// Nothing where functions are called, or where the accesses are not those that were made.
    [[nodiscard]] Executed sum() const
    {
        Executed all;
        Wavefronts global, shared;
        double accesses = 0;
        for (std::size_t b = 0; b < blocks_.size(); ++b) {
            if (blocks_[b].calls && runs_[b] > 0)
                return {.uncounted_call = blocks_[b].line};
            if (blocks_[b].jumps && runs_[b] > 0)
                return {};
            accesses += runs_[b] * static_cast<double>(blocks_[b].memory.size());
            all.instructions += runs_[b] * blocks_[b].instructions;
            all.multiplications += runs_[b] * blocks_[b].multiplications;
            all.special += runs_[b] * blocks_[b].special;
            all.doubles += runs_[b] * blocks_[b].doubles;
            all.logic += runs_[b] * blocks_[b].logic;
            all.shuffles += runs_[b] * blocks_[b].shuffles;
            all.constants += runs_[b] * blocks_[b].constants;
            all.answers += runs_[b] * blocks_[b].answers;
            global.made += runs_[b] * wavefronts_[b].global;
            shared.made += runs_[b] * wavefronts_[b].shared;
        }
        for (const Place& place : places_) {
            const double requests =
                std::accumulate(place.requests.begin(), place.requests.end(), 0.0);
            if (is_shared(place.kind))
                shared.asked += place.shared > 0 ? place.shared : requests;
            else
                global.asked += requests;
        }
        all.global = std::min(1.0, global.share());
        all.shared = shared.share();
        const Schedule alone = schedule(blocks_, runs_);
        all.cycles = alone.cycles;
        all.waits = alone.waits;
        constexpr double most_merged = 4; // scalars into one vector
        if (accesses * most_merged < all_requests_)
            return {};
        for (const Flow::Loop& loop : flow_.loops())
            if (runs_[loop.header] > 0 &&
                std::ranges::none_of(loop.blocks, [this](std::size_t b) { return is_known(b); }))
                all.uncounted_loop = blocks_[loop.header].line;
        return all;
    }

  private:
    /// Accesses of one line and kind: as the CPU device saw them, and as nvcc compiled them.
    struct Place
    {
        AccessKind kind = AccessKind::load;
        std::string file;
        long line = 0;
        std::vector<double> requests = {}; ///< of each instruction of the CPU device's, most first
        unsigned lane_bytes = 0;           ///< that most of these move
        struct Copies
        {
            double always = 0, conditional = 0;
            [[nodiscard]] double all() const { return always + conditional; }
        };
        std::map<std::size_t, Copies> copies = {}; ///< by block

        // As of LineRequests, of all of them:
        double shared = 0, as_double = 0, as_quad = 0, turns = 0;

        /// Of shared memory, of one access.
        [[nodiscard]] double wavefronts(const MemoryInstruction& access) const
        {
            const double all = std::accumulate(requests.begin(), requests.end(), 0.0);
            if (all <= 0 || shared <= 0)
                return std::max(1.0, stands_for(access.lane_bytes) / 2);
            if (access.takes_turns)
                return turns / all;
            if (stands_for(access.lane_bytes) <= 1 || kind != AccessKind::shared_load)
                return shared / all;
            return (access.lane_bytes == 8 ? as_double : as_quad) / all;
        }
        /// Of as many of them as there are copies: nvcc merges accesses, and takes some of them
        /// out of a loop.
        [[nodiscard]] double sum(double number) const
        {
            const auto some =
                std::min(requests.size(), static_cast<std::size_t>(std::ceil(number - 1e-9)));
            return std::accumulate(requests.begin(),
                                   requests.begin() + static_cast<std::ptrdiff_t>(some), 0.0);
        }
        [[nodiscard]] double number() const { return static_cast<double>(requests.size()); }
        [[nodiscard]] double all_copies() const
        {
            double all = 0;
            for (const auto& [block, of_block] : copies)
                all += of_block.all();
            return all;
        }
        [[nodiscard]] double surplus() const { return all_copies() - number(); }
        /// An access that moves as much as several of those that were made stands for so many:
        /// for the members of a structure, or for rounds of a loop.
        [[nodiscard]] double stands_for(unsigned bytes) const
        {
            return lane_bytes == 0 ? 1 : std::max(1.0, static_cast<double>(bytes) / lane_bytes);
        }
    };

    /// Wavefronts of a block's accesses, if each of those that were made takes one.
    struct OfBlock
    {
        double global = 0, shared = 0;
    };
    struct Wavefronts
    {
        double made = 0, asked = 0;
        [[nodiscard]] double share() const { return asked > 0 ? made / asked : 1; }
    };
    static bool is_shared(AccessKind kind)
    {
        return kind == AccessKind::shared_load || kind == AccessKind::shared_store;
    }

    Place& place_of(AccessKind kind, const std::string& where)
    {
        const auto colon = std::min(where.rfind(':'), where.size());
        const std::string file = where.substr(0, colon);
        const long line = std::atol(where.c_str() + std::min(colon + 1, where.size()));
        const auto known = std::ranges::find_if(places_, [&](const Place& place) {
            return place.kind == kind && place.line == line && place.file == file;
        });
        if (known != places_.end())
            return *known;
        places_.push_back({kind, file, line});
        return places_.back();
    }

    void find_places(const std::vector<LineRequests>& requests)
    {
        for (const LineRequests& line : requests) {
            Place& place = place_of(line.kind, line.line);
            place.requests.push_back(line.requests);
            place.lane_bytes = std::max(place.lane_bytes, line.lane_bytes);
            place.shared += line.shared;
            place.as_double += line.as_double;
            place.as_quad += line.as_quad;
            place.turns += line.turns;
        }
        find_copies();
        // The compilers disagree about the line of a statement that has several, and of a copy of
        // a structure.
        for (Place& asked : places_) {
            if (!asked.copies.empty() || asked.requests.empty())
                continue;
            Place* best = nullptr;
            for (Place& other : places_)
                if (other.kind == asked.kind && other.file == asked.file && other.surplus() > 0 &&
                    (best == nullptr ||
                     std::abs(other.line - asked.line) < std::abs(best->line - asked.line)))
                    best = &other;
            if (best != nullptr) {
                best->requests.insert(best->requests.end(), asked.requests.begin(),
                                      asked.requests.end());
                best->lane_bytes = std::max(best->lane_bytes, asked.lane_bytes);
                best->shared += asked.shared;
                best->as_double += asked.as_double;
                best->as_quad += asked.as_quad;
                best->turns += asked.turns;
            }
        }
        find_copies();
        for (Place& place : places_)
            std::ranges::sort(place.requests, std::greater<>());
        for (std::size_t b = 0; b < blocks_.size(); ++b)
            for (const MemoryInstruction& access : blocks_[b].memory) {
                const Place& place = place_of(access.kind, access.line);
                // What all lanes want alike a vector of four brings in two wavefronts.
                if (is_shared(access.kind))
                    wavefronts_[b].shared += place.wavefronts(access);
                else
                    wavefronts_[b].global += std::max(1.0, place.stands_for(access.lane_bytes) / 2);
            }
    }

    void find_copies()
    {
        for (Place& place : places_)
            place.copies.clear();
        for (std::size_t b = 0; b < blocks_.size(); ++b)
            for (const MemoryInstruction& access : blocks_[b].memory) {
                Place& place = place_of(access.kind, access.line);
                Place::Copies& copies = place.copies[b];
                (access.conditional ? copies.conditional : copies.always) +=
                    place.stands_for(access.lane_bytes);
            }
    }

    void credit(std::size_t block, double copies, double requests)
    {
        requests_[block] += requests;
        copies_[block] += copies;
    }

    /// Where all copies are in one block.
    void credit(const Place& place)
    {
        const auto& [block, copies] = *place.copies.begin();
        if (copies.always == 0)
            return;
        if (place.requests.empty())
            silent_.insert(block);
        else if (const double number =
                     copies.all() <= place.number() ? copies.always : copies.all();
                 loop_of_[block] == Flow::none)
            credit(block, number, std::min(number, place.sum(number)));
        else
            credit(block, number, place.sum(number));
    }

    [[nodiscard]] bool is_known(std::size_t block) const
    {
        return copies_[block] > 0 || silent_.count(block) != 0;
    }

    /// How often the loop around that of a block goes round.
    [[nodiscard]] double entries(std::size_t block) const
    {
        const std::size_t loop = loop_of_[block];
        if (loop == Flow::none || flow_.loops()[loop].outer == Flow::none)
            return 1;
        return std::max(1.0, iterations_[flow_.loops()[loop].outer]);
    }

    /// Where all of a block's accesses are conditional, it ran at least as often as they were made.
    void guess(const Place& place)
    {
        if (place.requests.empty())
            return;
        const double all = place.all_copies();
        for (const auto& [b, copies] : place.copies)
            if (copies.always == 0 && !is_known(b))
                credit(b, copies.conditional, place.sum(all) * copies.conditional / all);
    }

    void split(const Place& place)
    {
        if (place.requests.empty()) {
            for (const auto& [b, copies] : place.copies)
                if (copies.always > 0)
                    silent_.insert(b);
            return;
        }
        struct Group
        {
            bool first, loops;
            double copies, entries;
            std::vector<std::size_t> blocks;
        };
        double all = 0;
        for (const auto& [b, copies] : place.copies)
            all += copies.always;
        if (all == 0)
            return;
        if (all <= place.number()) { // nothing was unrolled: what is in a loop runs most often
            double in_loops = 0;
            for (const auto& [b, copies] : place.copies)
                in_loops += loop_of_[b] != Flow::none ? copies.always : 0;
            const double rest = place.sum(all) - place.sum(in_loops);
            for (const auto& [b, copies] : place.copies)
                if (copies.always > 0)
                    credit(b, copies.always,
                           copies.always * (loop_of_[b] != Flow::none
                                                ? place.sum(in_loops) / in_loops
                                                : rest / (all - in_loops)));
            return;
        }
        std::vector<Group> groups;
        double fewest = place.number();
        for (const auto& [b, copies] : place.copies) {
            if (copies.always == 0)
                continue;
            const double number = copies.all();
            fewest = std::min(fewest, number);
            const bool loops = loop_of_[b] != Flow::none;
            bool first = false; // what was taken out of the loop behind it
            for (const auto& [other, of_other] : place.copies)
                first = first || (loop_of_[other] != loop_of_[b] && flow_.dominates(b, other) &&
                                  is_inside(loop_of_[other], loop_of_[b]));
            const double times = first ? (loops ? iterations_[loop_of_[b]] : 1) : entries(b);
            const auto same = std::ranges::find_if(groups, [&](const Group& group) {
                return group.first == first && group.loops == loops && group.copies == number &&
                       group.entries == times;
            });
            if (same != groups.end())
                same->blocks.push_back(b);
            else
                groups.push_back({first, loops, number, times, {b}});
        }
        std::ranges::sort(groups, [](const Group& one, const Group& other) {
            return std::tuple(one.first, one.copies, one.loops) >
                   std::tuple(other.first, other.copies, other.loops);
        });
        double requests = place.sum(fewest);
        for (const Group& group : groups) {
            const double together = group.copies * static_cast<double>(group.blocks.size());
            double runs = requests / together;
            if (&group != &groups.back()) {
                if (!group.loops || group.first)
                    runs = std::min(runs, group.entries);
                else
                    runs = group.entries * std::floor(runs / group.entries + 1e-9);
                if (!group.loops && !group.first)
                    runs = std::floor(runs + 1e-9);
            } else if (group.loops && groups.front().loops) {
                // What is left of a round of the largest; nvcc has merged the others.
                const double rounds = std::ceil(groups.front().copies / group.copies - 1e-9) - 1;
                if (&group != &groups.front())
                    runs = std::min(runs, group.entries * rounds);
            }
            for (const std::size_t b : group.blocks)
                credit(b, group.copies, runs * group.copies);
            requests -= runs * together;
        }
    }

    [[nodiscard]] bool is_inside(std::size_t inner, std::size_t outer) const
    {
        while (inner != Flow::none && inner != outer)
            inner = flow_.loops()[inner].outer;
        return inner == outer;
    }

    void count_iterations()
    {
        iterations_.assign(flow_.loops().size(), 0);
        for (std::size_t loop = iterations_.size(); loop-- > 0;) { // outer ones first
            const std::size_t outer = flow_.loops()[loop].outer;
            bool known = false;
            for (const std::size_t b : flow_.loops()[loop].blocks)
                if (loop_of_[b] == loop && copies_[b] > 0) {
                    iterations_[loop] = std::max(iterations_[loop], requests_[b] / copies_[b]);
                    known = true;
                }
            if (!known)
                iterations_[loop] = outer == Flow::none ? 1 : iterations_[outer];
        }
    }

    /// No block runs more often than those before it, or those behind it; nor, outside of loops,
    /// more than once, or less often than another that it always runs with: what it loads may have
    /// been counted where fewer warps need it.
    void flow()
    {
        constexpr double any = std::numeric_limits<double>::infinity();
        for (std::size_t b = 0; b < blocks_.size(); ++b)
            runs_[b] = copies_[b] > 0              ? requests_[b] / copies_[b]
                       : silent_.count(b) != 0     ? 0
                       : is_slow_path(b)           ? 0
                       : !flow_.reached(b)         ? 0
                       : loop_of_[b] == Flow::none ? 1
                                                   : iterations_[loop_of_[b]];
        for (std::size_t b = 0; b < blocks_.size(); ++b)
            if (loop_of_[b] == Flow::none)
                runs_[b] = b == 0 ? 1 : std::min(runs_[b], 1.0);
        for (std::size_t b = 0; b < blocks_.size(); ++b)
            for (std::size_t other = 0; other < blocks_.size(); ++other)
                if (loop_of_[b] == Flow::none && loop_of_[other] == Flow::none && copies_[b] > 0 &&
                    copies_[other] > 0 && flow_.always_with(b, other))
                    runs_[b] = std::max(runs_[b], runs_[other]);
        for (bool changed = true; changed;) {
            changed = false;
            for (std::size_t b = 0; b < blocks_.size(); ++b) {
                if (copies_[b] > 0)
                    continue;
                double before = b == 0 ? any : 0, behind = 0;
                for (const std::size_t from : flow_.before(b))
                    before += runs_[from];
                for (const std::size_t to : blocks_[b].next)
                    behind += to < blocks_.size() ? runs_[to] : any;
                const double most = std::min(before, behind);
                if (runs_[b] > most * (1 + 1e-9) + 1e-12) {
                    runs_[b] = most;
                    changed = true;
                }
            }
        }
    }

    /// A call that warps pass by, as a rule; not one behind the exit of threads without work.
    [[nodiscard]] bool is_slow_path(std::size_t block) const
    {
        const std::vector<std::size_t>& before = flow_.before(block);
        if (!blocks_[block].calls || before.size() != 1)
            return false;
        const std::vector<std::size_t>& ways = blocks_[before[0]].next;
        return ways.size() > 1 && std::ranges::count(ways, blocks_.size()) == 0;
    }

    const std::vector<BasicBlock>& blocks_;
    Flow flow_;
    std::vector<double> runs_;
    std::vector<double> requests_, copies_; ///< of each block's accesses
    std::vector<OfBlock> wavefronts_;
    std::vector<std::size_t> loop_of_;
    std::vector<double> iterations_; ///< of each loop
    std::vector<Place> places_;
    double all_requests_ = 0;
    std::set<std::size_t> silent_; ///< blocks whose accesses nobody has made
};

} // namespace

Executed executed(const MachineCode& code, const std::vector<LineRequests>& requests)
{
    return code.blocks.empty() ? Executed{} : Executions(code, requests).sum();
}

} // namespace own_program
