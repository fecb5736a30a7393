#include "core/races.hpp"

#include <bit>
#include <cstring>
#include <tuple>
#include <utility>

namespace cpu_device {

namespace {

/// Lanes' words of one kind of memory after which enough of a block has been seen: some tens of
/// milliseconds.
constexpr std::size_t enough = std::size_t{1} << 19;
/// Different words of global memory; the rest of the table is for shared memory.
constexpr std::size_t most_global_words = WordHistory::most / 2;
/// Accesses of global memory that are passed over in wait for more of shared memory.
constexpr std::size_t most_passed = std::size_t{1} << 22;
/// What a thread's variable holds that nobody has set: -ftrivial-auto-var-init=pattern.
constexpr std::uint32_t unset = 0xFEFEFEFE;

/// True of a store of what a variable held before it was set. Floats absorb what was added to it,
/// whole numbers hardly change.
bool stores_unset(const Request& request)
{
    constexpr std::uint32_t near = 1 << 16;
    bool same = true, similar = request.bytes >= sizeof unset;
    for (unsigned lanes = request.mask; lanes != 0 && similar; lanes &= lanes - 1) {
        std::uint32_t word = 0;
        std::memcpy(&word,
                    reinterpret_cast<const void*>(
                        request.addresses[static_cast<unsigned>(std::countr_zero(lanes))]),
                    sizeof word);
        same = same && word == unset;
        similar = word - unset + near < 2 * near;
    }
    return similar && (same || std::popcount(request.mask) > 1);
}

} // namespace

void LaunchRaces::add(const Race& race)
{
    const std::lock_guard lock(mutex_);
    if (race.kind == RaceKind::lanes || race.kind == RaceKind::update)
        in_step_ = true;
    // First what a program does not request, then what may be meant.
    const auto rank = [](const Race& one) {
        return std::tuple(one.by_volatile, one.kind == RaceKind::blocks, one.block);
    };
    if (first_.kind == RaceKind::none || rank(race) < rank(first_))
        first_ = race;
}

void LaunchRaces::add(const UnwrittenLoad& load)
{
    const std::lock_guard lock(mutex_);
    if (unwritten_.load.pc == 0 || load.load.block < unwritten_.load.block)
        unwritten_ = load;
}

void LaunchRaces::add(const WordsOfBlocks& block, bool watched)
{
    const std::lock_guard lock(mutex_);
    ++compared_;
    compare(block, words_);
    if (watched)
        compare(block, words_of_watched_);
    rarity_ = words_.rarity();
}

void LaunchRaces::compare(const WordsOfBlocks& block, WordsOfBlocks& others)
{
    if (block.rarity() > others.rarity())
        others.begin_rarer(block.rarity());
    for (const auto& [key, use] : block.words()) {
        WordsOfBlocks::Use* const other = others.find(key);
        if (other == nullptr)
            continue;
        const auto updates = [](const WordsOfBlocks::Use& one) {
            return one.load.pc != 0 && one.store.pc != 0;
        };
        for (const auto& [load, store] :
             {std::pair{use.load, other->store}, std::pair{other->load, use.store}})
            if (load.pc != 0 && store.pc != 0 && load.block != store.block) {
                add(Race{.kind = RaceKind::blocks,
                         .address = key >> 1,
                         .load = load,
                         .store = store,
                         .block = std::max(load.block, store.block),
                         .both_update = updates(use) && updates(*other),
                         .of_bytes = (key & 1) != 0});
                break;
            }
        if (use.store.pc != 0)
            other->store = use.store;
        if (use.load.pc != 0)
            other->load = use.load;
    }
}

void WordsOfBlocks::note(const Request& request, Access access, const RacingAccess& first)
{
    const unsigned step = std::min(request.bytes, 4u);
    const auto line_of_lane = [&](unsigned lane) {
        return line_of(key_of(request.addresses[lane], step));
    };
    if (side_by_side(request)) { // nearly all, of which few are sampled
        bool any = false;
        for (std::uintptr_t i = line_of_lane(0); i <= line_of_lane(warp_lanes - 1) && !any; ++i)
            any = is_sampled_line(i);
        if (!any)
            return;
    }
    std::uintptr_t last = 0;
    for (unsigned lanes = request.mask; lanes != 0; lanes &= lanes - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
        for (unsigned offset = 0; offset < request.bytes; offset += step) {
            const std::uintptr_t key = key_of(request.addresses[lane] + offset, step);
            if (std::exchange(last, key) == key)
                continue;
            if (Use* const use = find(key); use != nullptr) {
                RacingAccess& own = access == Access::load ? use->load : use->store;
                if (own.pc == 0)
                    own = {first.pc, first.block, first.thread + lane};
            }
        }
    }
}

WordHistory::Word* WordHistory::find(std::uintptr_t key, unsigned phase)
{
    for (std::size_t i = key * 0x9E3779B97F4A7C15u >> 48;; ++i) {
        Word& word = words_[i % (2 * most)];
        if (word.block != serial_) {
            if (used_ > most)
                return nullptr;
            ++used_;
            word = {key, serial_, phase, {}, {}};
        }
        if (word.key != key)
            continue;
        if (word.phase != phase)
            word = {key, serial_, phase, {}, {}};
        return &word;
    }
}

void WordHistory::add(Marks& marks, const Mark& mark)
{
    Mark& place = marks[0].pc == 0 || marks[0].is_of(mark) ? marks[0] : marks[1];
    if (place.is_of(mark) && place.epoch == mark.epoch)
        place.lanes |= mark.lanes;
    else
        place = mark;
}

void PhasesOfInstructions::note(std::uintptr_t pc, unsigned phase, std::size_t warp)
{
    const auto known = std::ranges::find(executed_, pc, &Executed::pc);
    if (known != executed_.end()) {
        known->last_phase = phase;
        known->last_warp = warp;
        return;
    }
    Executed first{pc, phase, phase, warp};
    for (const Executed& one : executed_)
        if (one.last_phase == phase && one.last_warp == warp)
            first.before.push_back(one.pc);
    executed_.push_back(std::move(first));
}

NextRound PhasesOfInstructions::next_round(std::uintptr_t load, std::uintptr_t store) const
{
    const auto one = std::ranges::find(executed_, load, &Executed::pc);
    const auto other = std::ranges::find(executed_, store, &Executed::pc);
    if (one == executed_.end() || other == executed_.end() ||
        one->first_phase == other->first_phase)
        return NextRound::none;
    const bool load_first = one->first_phase < other->first_phase;
    const auto& before = load_first ? other->before : one->before;
    if (std::find(before.begin(), before.end(), load_first ? load : store) != before.end())
        return NextRound::none; // the last round comes to the other without a barrier
    return load_first ? NextRound::load : NextRound::store;
}

void BlockRaces::begin_block(std::uint64_t block, const LaunchRaces& launch)
{
    const bool watched = launch.watches(block);
    compared_ = launch.compares(block);
    uses_shared_ = launch.uses_shared();
    words_of_block_.begin(watched ? 0 : launch.rarity());
    if (watched)
        history_.begin_block();
    block_ = block;
    phase_ = 0;
    noted_ = noted_global_ = global_words_ = passed_ = 0;
    executed_ = {};
    given_up_ = false;
    ordered_blocks_ = false;
    lanes_race_ = false;
    warps_ = {};
    race_ = update_ = {};
    unwritten_ = {};
}

void BlockRaces::end_block(LaunchRaces& launch,
                           const std::function<std::string(std::uintptr_t)>& place_of)
{
    // Lanes that load, and then store, what others only load next are no counter: they reset it.
    if (update_.kind != RaceKind::none &&
        (race_.kind != RaceKind::warps || race_.by_volatile || race_.both_update))
        race_ = update_;
    if (race_.kind != RaceKind::none) {
        race_.place = place_of(race_.address);
        launch.add(race_);
    }
    if (unwritten_.address != 0)
        unwritten_.place = place_of(unwritten_.address);
    if (unwritten_.load.pc != 0)
        launch.add(unwritten_);
    if (compared_ && !given_up_ && !ordered_blocks_)
        launch.add(words_of_block_, launch.watches(block_));
}

void BlockRaces::note_warp_barrier(std::size_t warp, bool all)
{
    if (all)
        ++warps_[warp].epoch;
    else
        warps_[warp].unclear = phase_;
}

void BlockRaces::note_for_blocks(const Request& request, const Instruction& instruction,
                                 std::size_t warp)
{
    ordered_blocks_ |= instruction.access == Access::atomic;
    if (compared_ && !given_up_ && !ordered_blocks_)
        words_of_block_.note(request, instruction.access,
                             {instruction.pc, block_, static_cast<unsigned>(warp) * warp_lanes});
}

bool BlockRaces::note(const Request& request, const Instruction& instruction, std::size_t warp)
{
    const bool is_global = instruction.space == AddressSpace::global;
    if (is_global && instruction.access == Access::atomic)
        return true;
    const auto lanes_of_request = static_cast<unsigned>(std::popcount(request.mask));
    Mark mark{.pc = instruction.pc,
              .warp = static_cast<unsigned>(warp),
              .epoch = warps_[warp].epoch,
              .lanes = request.mask,
              .atomic = instruction.access == Access::atomic,
              .is_volatile = instruction.is_volatile};
    if (is_global && instruction.access == Access::store && !instruction.in_range &&
        unwritten_.load.pc == 0 && stores_unset(request))
        unwritten_.load = access_of(mark);
    executed_.note(instruction.pc, phase_, warp);
    if (is_global && (noted_global_ >= enough || global_words_ >= most_global_words)) {
        passed_ += lanes_of_request;
        return uses_shared_ && passed_ < most_passed;
    }
    // What is smaller than a word is known by its own address.
    const unsigned step = std::min(request.bytes, 4u);
    of_bytes_ = step < 4;
    const std::size_t words = history_.size();
    for (unsigned lanes = request.mask; lanes != 0; lanes &= lanes - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
        mark.lanes = 1u << lane;
        for (unsigned offset = 0; offset < request.bytes; offset += step) {
            const std::uintptr_t address = request.addresses[lane] + offset;
            auto* const word = history_.find(WordsOfBlocks::key_of(address, step), phase_);
            if (word == nullptr)
                return false;
            if (instruction.access == Access::load)
                load(*word, address, mark);
            else
                store(*word, address, mark, request);
        }
    }
    if (is_global)
        global_words_ += history_.size() - words;
    (is_global ? noted_global_ : noted_) += lanes_of_request;
    return noted_ < enough;
}

void BlockRaces::load(WordHistory::Word& word, std::uintptr_t address, const Mark& mark)
{
    // What a warp has stored itself, it may load: others stored the same there, or will.
    const bool own = std::ranges::any_of(
        word.stores, [&](const Mark& store) { return store.is_of(mark) && !store.atomic; });
    for (const Mark& store : word.stores) {
        if (store.pc == 0)
            continue;
        if (!store.is_of(mark) && !own)
            found(RaceKind::warps, address, mark, store);
        else if (store.is_of(mark) && store.epoch == mark.epoch &&
                 (store.lanes & mark.lanes) == 0 && warps_[mark.warp].unclear != phase_)
            found(RaceKind::lanes, address, mark, store);
    }
    if (!own)
        WordHistory::add(word.loads, mark);
}

void BlockRaces::store(WordHistory::Word& word, std::uintptr_t address, const Mark& mark,
                       const Request& request)
{
    for (const Mark& load : word.loads) {
        Mark others = load;
        others.lanes &= ~mark.lanes;
        if (load.pc != 0 && !load.is_of(mark))
            found(RaceKind::warps, address, load, mark);
        else if (load.is_of(mark) && load.epoch == mark.epoch && others.lanes != 0 &&
                 warps_[mark.warp].unclear != phase_) {
            if (std::popcount(lanes_at(address, request) & load.lanes) > 1)
                found(RaceKind::update, address, load, mark);
            else
                found(RaceKind::lanes, address, others, mark);
        }
    }
    for (const Mark& other : word.stores)
        if (other.pc != 0 && !other.is_of(mark) && other.atomic != mark.atomic)
            found(RaceKind::warps, address, other, mark);
    // Two warps load, and then both store: whatever the order, one of them does it for nothing.
    const auto is_own = [&](const Mark& other) { return other.is_of(mark); };
    const auto updates = [&](const Mark& other) {
        return other.pc != 0 && !is_own(other) &&
               std::ranges::any_of(word.stores, [&](const Mark& by) { return by.is_of(other); });
    };
    if (race_.kind == RaceKind::warps && race_.address == address && !mark.atomic &&
        std::ranges::any_of(word.loads, is_own) && std::ranges::any_of(word.loads, updates))
        race_.both_update = true;
    WordHistory::add(word.stores, mark);
}

unsigned BlockRaces::lanes_at(std::uintptr_t address, const Request& request)
{
    unsigned lanes = 0;
    for (unsigned lane = 0; lane < warp_lanes; ++lane)
        if ((request.mask >> lane & 1) != 0 && address - request.addresses[lane] < request.bytes)
            lanes |= 1u << lane;
    return lanes;
}

RacingAccess BlockRaces::access_of(const Mark& mark) const
{
    return {mark.pc, block_,
            mark.warp * warp_lanes + static_cast<unsigned>(std::countr_zero(mark.lanes))};
}

void BlockRaces::found(RaceKind kind, std::uintptr_t address, const Mark& load, const Mark& store)
{
    if (given_up_)
        return;
    const bool both_volatile = load.is_volatile && store.is_volatile;
    if (kind == RaceKind::warps && both_volatile)
        return; // a flag
    if (kind != RaceKind::warps)
        lanes_race_ = true;
    // What is most of a mistake: a barrier that is missing between warps is so within them, too.
    const auto weight = [](RaceKind of, bool by_volatile) {
        return of == RaceKind::none ? 0 : by_volatile ? 1 : of == RaceKind::lanes ? 2 : 3;
    };
    Race& race = kind == RaceKind::update ? update_ : race_;
    if (weight(kind, both_volatile) <= weight(race.kind, race.by_volatile))
        return;
    race = {.kind = kind,
            .address = address,
            .load = access_of(load),
            .store = access_of(store),
            .lanes = static_cast<unsigned>(std::popcount(load.lanes)),
            .by_volatile = both_volatile,
            .block = block_,
            .next_round = executed_.next_round(load.pc, store.pc),
            .of_bytes = of_bytes_};
}

} // namespace cpu_device
