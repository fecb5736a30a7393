#include "core/races.hpp"

#include <algorithm>
#include <bit>

namespace cpu_device {

namespace {

constexpr std::size_t table_size = std::size_t{1} << 15;
/// Lanes' words after which enough of a block has been seen: some tens of milliseconds.
constexpr std::size_t enough = std::size_t{1} << 19;
/// Words that are compared between blocks.
constexpr std::size_t most_words = std::size_t{1} << 16;

} // namespace

void LaunchRaces::add(const Race& race)
{
    const std::lock_guard lock(mutex_);
    if (race.kind == RaceKind::lanes || race.kind == RaceKind::update)
        in_step_ = true;
    // First what a program does not request, then what may be meant.
    const auto rank = [](const Race& one) {
        return one.block + (one.kind == RaceKind::blocks ? watched_blocks : 0) +
               (one.by_volatile ? 2 * watched_blocks : 0);
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

void LaunchRaces::add(std::uintptr_t word, const WordOfBlock& use)
{
    Race race;
    {
        const std::lock_guard lock(mutex_);
        const auto other = words_.find(word);
        if (other == words_.end()) {
            if (words_.size() < most_words)
                words_[word] = use;
            return;
        }
        for (const auto& [load, store] :
             {std::pair{use.load, other->second.store}, std::pair{other->second.load, use.store}})
            if (race.kind == RaceKind::none && load.pc != 0 && store.pc != 0 &&
                load.block != store.block)
                race = {.kind = RaceKind::blocks,
                        .address = word,
                        .load = load,
                        .store = store,
                        .block = std::max(load.block, store.block)};
        if (use.store.pc != 0)
            other->second.store = use.store;
        if (use.load.pc != 0)
            other->second.load = use.load;
    }
    if (race.kind != RaceKind::none)
        add(race);
}

void BlockRaces::prepare()
{
    words_.resize(table_size);
}

void BlockRaces::begin_block(std::uint64_t block)
{
    prepare();
    used_.clear();
    ++serial_;
    block_ = block;
    phase_ = 0;
    noted_ = 0;
    given_up_ = false;
    ordered_blocks_ = false;
    lanes_race_ = false;
    warps_.assign(warps_.size(), Warp());
    race_ = {};
    unwritten_ = {};
}

void BlockRaces::end_block(LaunchRaces& launch,
                           const std::function<std::string(std::uintptr_t)>& place_of)
{
    if (race_.kind != RaceKind::none) {
        race_.place = place_of(race_.address);
        launch.add(race_);
    }
    if (unwritten_.pc != 0)
        launch.add({unwritten_, place_of(unwritten_address_)});
    if (given_up_ || ordered_blocks_)
        return;
    for (const std::size_t i : used_)
        if (const Word& word = words_[i]; word.use.load.pc != 0 || word.use.store.pc != 0)
            launch.add(word.key >> 1, word.use);
}

void BlockRaces::meet(std::size_t warp, bool all)
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
    for (std::size_t i = key * 0x9E3779B97F4A7C15u >> 49;; i = (i + 1) % table_size) {
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

bool BlockRaces::note(const Request& request, const Instruction& instruction, std::size_t warp)
{
    if (warp >= warps_.size())
        warps_.resize(warp + 1);
    const bool is_global = instruction.space == AddressSpace::global;
    if (is_global && instruction.access == Access::atomic) {
        ordered_blocks_ = true;
        return true;
    }
    Mark mark{.pc = instruction.pc,
              .warp = static_cast<unsigned>(warp),
              .epoch = warps_[warp].epoch,
              .atomic = instruction.access == Access::atomic,
              .is_volatile = instruction.is_volatile};
    // What is smaller than a word is known by its own address.
    const unsigned step = std::min(request.bytes, 4u);
    for (unsigned lanes = request.mask; lanes != 0; lanes &= lanes - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
        mark.lanes = 1u << lane;
        for (unsigned offset = 0; offset < request.bytes; offset += step) {
            const std::uintptr_t address = request.addresses[lane] + offset;
            Word* const word = find(address << 1 | static_cast<unsigned>(step < 4));
            if (word == nullptr)
                return false;
            const bool loads = instruction.access == Access::load;
            RacingAccess& use = loads ? word->use.load : word->use.store;
            if (is_global && !instruction.is_volatile && use.pc == 0)
                use = access_of(mark, lane);
            if (loads)
                load(*word, address, lane, mark);
            else
                store(*word, address, lane, mark, request);
        }
    }
    noted_ += static_cast<unsigned>(std::popcount(request.mask));
    return noted_ < enough;
}

bool BlockRaces::clear(unsigned warp) const
{
    return warps_[warp].unclear != phase_;
}

void BlockRaces::load(Word& word, std::uintptr_t address, unsigned lane, const Mark& mark)
{
    const auto is_own = [&](const Mark& other) { return other.pc != 0 && other.warp == mark.warp; };
    // What a warp has stored itself, it may load: others stored the same there, or will.
    const bool own = std::ranges::any_of(
        word.stores, [&](const Mark& store) { return is_own(store) && !store.atomic; });
    for (const Mark& store : word.stores) {
        if (store.pc == 0)
            continue;
        const auto other = static_cast<unsigned>(std::countr_zero(store.lanes));
        if (!is_own(store) && !own)
            found(RaceKind::warps, address, mark, lane, store, other);
        else if (is_own(store) && store.epoch == mark.epoch && (store.lanes & mark.lanes) == 0 &&
                 clear(mark.warp))
            found(RaceKind::lanes, address, mark, lane, store, other);
    }
    if (own)
        return;
    Mark& place = word.loads[0].pc == 0 || is_own(word.loads[0]) ? word.loads[0] : word.loads[1];
    if (is_own(place) && place.epoch == mark.epoch)
        place.lanes |= mark.lanes;
    else
        place = mark;
}

void BlockRaces::store(Word& word, std::uintptr_t address, unsigned lane, const Mark& mark,
                       const Request& request)
{
    for (const Mark& load : word.loads) {
        if (load.pc == 0)
            continue;
        const unsigned others = load.lanes & ~mark.lanes;
        if (load.warp != mark.warp)
            found(RaceKind::warps, address, load,
                  static_cast<unsigned>(std::countr_zero(load.lanes)), mark, lane);
        else if (load.epoch == mark.epoch && others != 0 && clear(mark.warp))
            found(std::popcount(lanes_at(address, request) & load.lanes) > 1 ? RaceKind::update
                                                                             : RaceKind::lanes,
                  address, load, static_cast<unsigned>(std::countr_zero(others)), mark, lane);
    }
    const auto is_own = [&](const Mark& other) { return other.pc != 0 && other.warp == mark.warp; };
    for (const Mark& other : word.stores)
        if (other.pc != 0 && other.warp != mark.warp && other.atomic != mark.atomic)
            found(RaceKind::warps, address, other,
                  static_cast<unsigned>(std::countr_zero(other.lanes)), mark, lane);
    Mark& place =
        word.stores[0].pc == 0 || is_own(word.stores[0]) ? word.stores[0] : word.stores[1];
    if (is_own(place) && place.epoch == mark.epoch)
        place.lanes |= mark.lanes;
    else
        place = mark;
}

unsigned BlockRaces::lanes_at(std::uintptr_t address, const Request& request)
{
    unsigned lanes = 0;
    for (unsigned lane = 0; lane < warp_lanes; ++lane)
        if ((request.mask >> lane & 1) != 0 && address - request.addresses[lane] < request.bytes)
            lanes |= 1u << lane;
    return lanes;
}

RacingAccess BlockRaces::access_of(const Mark& mark, unsigned lane) const
{
    return {mark.pc, block_, mark.warp * warp_lanes + lane};
}

void BlockRaces::found(RaceKind kind, std::uintptr_t address, const Mark& load, unsigned load_lane,
                       const Mark& store, unsigned store_lane)
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
    if (weight(kind, both_volatile) <= weight(race_.kind, race_.by_volatile))
        return;
    race_ = {.kind = kind,
             .address = address,
             .load = access_of(load, load_lane),
             .store = access_of(store, store_lane),
             .lanes = static_cast<unsigned>(std::popcount(load.lanes)),
             .by_volatile = both_volatile,
             .block = block_};
}

} // namespace cpu_device
