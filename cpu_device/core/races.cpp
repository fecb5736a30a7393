#include "core/races.hpp"

#include <bit>
#include <cstring>
#include <tuple>
#include <utility>

namespace cpu_device {

namespace {

constexpr std::size_t table_size = std::size_t{1} << 16;
/// Lanes' words of one kind of memory after which enough of a block has been seen: some tens of
/// milliseconds.
constexpr std::size_t enough = std::size_t{1} << 19;
/// Different words of global memory; the rest of the table is for shared memory.
constexpr std::size_t most_global_words = table_size / 4;
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

void BlockRaces::prepare()
{
    words_.resize(table_size);
}

void BlockRaces::begin_block(std::uint64_t block, bool watched, const LaunchRaces& launch)
{
    compared_ = launch.compares(block);
    uses_shared_ = launch.uses_shared();
    words_of_block_.begin(watched ? 0 : launch.rarity());
    watched_ = watched;
    if (watched)
        prepare();
    used_.clear();
    ++serial_;
    block_ = block;
    phase_ = 0;
    noted_ = noted_global_ = global_words_ = passed_ = 0;
    executed_.clear();
    given_up_ = false;
    ordered_blocks_ = false;
    lanes_race_ = false;
    warps_.assign(warps_.size(), Warp());
    race_ = update_ = {};
    unwritten_ = unset_ = {};
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
    if (unwritten_.pc != 0)
        launch.add({unwritten_, place_of(unwritten_address_), unwritten_address_});
    else if (unset_.pc != 0)
        launch.add({unset_, ""});
    if (compared_ && !given_up_ && !ordered_blocks_)
        launch.add(words_of_block_, watched_);
}

void BlockRaces::note_warp_barrier(std::size_t warp, bool all)
{
    if (warp >= warps_.size())
        warps_.resize(warp + 1);
    if (all)
        ++warps_[warp].epoch;
    else
        warps_[warp].unclear = phase_;
}

BlockRaces::Word* BlockRaces::find(std::uintptr_t key)
{
    for (std::size_t i = key * 0x9E3779B97F4A7C15u >> 48;; i = (i + 1) % table_size) {
        Word& word = words_[i];
        if (word.block != serial_) {
            if (2 * used_.size() > table_size)
                return nullptr;
            used_.push_back(i);
            word = {};
            word.key = key;
            word.block = serial_;
            word.phase = phase_;
        }
        if (word.key != key)
            continue;
        if (word.phase != phase_) {
            word.phase = phase_;
            word.loads = {};
            word.stores = {};
        }
        return &word;
    }
}

void BlockRaces::note_for_blocks(const Request& request, const Instruction& instruction,
                                 std::size_t warp)
{
    if (instruction.access == Access::atomic)
        ordered_blocks_ = true;
    if (!compared_ || given_up_ || ordered_blocks_)
        return;
    const unsigned step = std::min(request.bytes, 4u);
    const auto line_of = [&](unsigned lane) {
        return WordsOfBlocks::line_of(WordsOfBlocks::key_of(request.addresses[lane], step));
    };
    if (side_by_side(request)) { // nearly all, of which few are sampled
        bool any = false;
        for (std::uintptr_t i = line_of(0); i <= line_of(warp_lanes - 1) && !any; ++i)
            any = words_of_block_.is_sampled_line(i);
        if (!any)
            return;
    }
    std::uintptr_t last = 0, line = 0;
    bool sampled = false;
    for (unsigned lanes = request.mask; lanes != 0; lanes &= lanes - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
        for (unsigned offset = 0; offset < request.bytes; offset += step) {
            const std::uintptr_t key =
                WordsOfBlocks::key_of(request.addresses[lane] + offset, step);
            if (const std::uintptr_t own = WordsOfBlocks::line_of(key); own != line) {
                line = own;
                sampled = words_of_block_.is_sampled_line(own);
            }
            if (!sampled || std::exchange(last, key) == key)
                continue;
            WordsOfBlocks::Use* const use = words_of_block_.find(key);
            if (use == nullptr)
                continue;
            RacingAccess& access = instruction.access == Access::load ? use->load : use->store;
            if (access.pc == 0)
                access = {instruction.pc, block_, static_cast<unsigned>(warp) * warp_lanes + lane};
        }
    }
}

void BlockRaces::note_execution(std::uintptr_t pc, std::size_t warp)
{
    const auto known = std::ranges::find(executed_, pc, &Executed::pc);
    if (known != executed_.end()) {
        known->last_phase = phase_;
        known->last_warp = warp;
        return;
    }
    Executed first{pc, phase_, phase_, warp};
    for (const Executed& one : executed_)
        if (one.last_phase == phase_ && one.last_warp == warp)
            first.before.push_back(one.pc);
    executed_.push_back(std::move(first));
}

NextRound BlockRaces::next_round(std::uintptr_t load, std::uintptr_t store) const
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

bool BlockRaces::note(const Request& request, const Instruction& instruction, std::size_t warp)
{
    if (warp >= warps_.size())
        warps_.resize(warp + 1);
    const bool is_global = instruction.space == AddressSpace::global;
    if (is_global && instruction.access == Access::atomic)
        return true;
    const auto lanes_of_request = static_cast<unsigned>(std::popcount(request.mask));
    if (is_global && instruction.access == Access::store && !instruction.in_range &&
        unset_.pc == 0 && stores_unset(request))
        unset_ = {instruction.pc, block_,
                  static_cast<unsigned>(warp) * warp_lanes +
                      static_cast<unsigned>(std::countr_zero(request.mask))};
    note_execution(instruction.pc, warp);
    if (is_global && (noted_global_ >= enough || global_words_ >= most_global_words)) {
        passed_ += lanes_of_request;
        return uses_shared_ && passed_ < most_passed;
    }
    Mark mark{.pc = instruction.pc,
              .warp = static_cast<unsigned>(warp),
              .epoch = warps_[warp].epoch,
              .atomic = instruction.access == Access::atomic,
              .is_volatile = instruction.is_volatile};
    // What is smaller than a word is known by its own address.
    const unsigned step = std::min(request.bytes, 4u);
    of_bytes_ = step < 4;
    const std::size_t used = used_.size();
    for (unsigned lanes = request.mask; lanes != 0; lanes &= lanes - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
        mark.lanes = 1u << lane;
        for (unsigned offset = 0; offset < request.bytes; offset += step) {
            const std::uintptr_t address = request.addresses[lane] + offset;
            Word* const word = find(WordsOfBlocks::key_of(address, step));
            if (word == nullptr)
                return false;
            if (instruction.access == Access::load)
                load(*word, address, mark);
            else
                store(*word, address, mark, request);
        }
    }
    if (is_global)
        global_words_ += used_.size() - used;
    (is_global ? noted_global_ : noted_) += lanes_of_request;
    return noted_ < enough;
}

void BlockRaces::keep(std::array<Mark, 2>& places, const Mark& mark)
{
    Mark& place = places[0].pc == 0 || places[0].is_of(mark) ? places[0] : places[1];
    if (place.is_of(mark) && place.epoch == mark.epoch)
        place.lanes |= mark.lanes;
    else
        place = mark;
}

void BlockRaces::load(Word& word, std::uintptr_t address, const Mark& mark)
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
        keep(word.loads, mark);
}

void BlockRaces::store(Word& word, std::uintptr_t address, const Mark& mark, const Request& request)
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
    keep(word.stores, mark);
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
            .next_round = next_round(load.pc, store.pc),
            .of_bytes = of_bytes_};
}

} // namespace cpu_device
