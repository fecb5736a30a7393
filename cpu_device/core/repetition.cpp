#include "core/repetition.hpp"

#include "core/host.hpp"
#include "core/memory.hpp"

#include <atomic>
#include <bit>
#include <cstring>
#include <unordered_map>
#include <vector>

namespace cpu_device {

namespace {

std::atomic<std::uint64_t> state = 0; ///< number of the memory's state
std::atomic<std::uint64_t> effects = 0;

/// A program may launch from as many threads as it likes.
std::mutex one_at_a_time;

/// Never destroyed: a program may launch from destructors of static objects.
std::unordered_map<std::string, Repetition::Known>& all_known()
{
    static auto& instance = *new std::unordered_map<std::string, Repetition::Known>;
    return instance;
}

Repetition::Known& known_of(const std::string& identity)
{
    constexpr std::size_t most = 1 << 12; // of a program that never repeats its arguments
    if (all_known().size() >= most)
        all_known().clear();
    return all_known()[identity];
}

/// Variables of the executable that can be written, but for the engine's own: all `__device__`
/// ones, and with them the host's. Empty if the executable has been stripped.
const std::vector<Region>& variables_of_program()
{
    static const std::vector<Region> variables = [] {
        const auto [data, data_bytes] = host::program_data();
        const Region writable{data, data_bytes, AddressSpace::global};
        std::vector<Region> found;
        for (const host::Symbol& symbol : host::read_symbols(host::SymbolKind::variable)) {
            const std::uintptr_t begin = host::program_begin() + symbol.value;
            if (symbol.bytes != 0 && writable.contains(begin, symbol.bytes) &&
                host::demangled(symbol.name).find("cpu_device::") == std::string::npos)
                found.push_back({begin, symbol.bytes, AddressSpace::global});
        }
        return found;
    }();
    return variables;
}

/// Four chains, so that the memory and not the multiplier limits.
class Digest
{
  public:
    void add(const Region& region)
    {
        const auto* const begin = reinterpret_cast<const std::byte*>(region.begin);
        std::uint64_t words[chains];
        std::size_t done = 0;
        for (; done + sizeof words <= region.bytes; done += sizeof words) {
            std::memcpy(words, begin + done, sizeof words);
            add(words);
        }
        std::memset(words, 0, sizeof words);
        std::memcpy(words, begin + done, region.bytes - done);
        add(words);
    }
    [[nodiscard]] std::uint64_t value() const
    {
        std::uint64_t mixed = 0;
        for (const std::uint64_t part : parts_)
            mixed = (std::rotl(mixed, 23) ^ part) * prime;
        return mixed;
    }

  private:
    static constexpr std::size_t chains = 4;
    static constexpr std::uint64_t prime = 0x9E3779B185EBCA87u; // of xxHash, odd

    void add(const std::uint64_t (&words)[chains])
    {
        for (std::size_t i = 0; i < chains; ++i)
            parts_[i] = std::rotl(parts_[i] ^ words[i] * prime, 31) * prime;
    }

    std::uint64_t parts_[chains] = {1, 2, 3, 4};
};

/// Of all that kernels can write; nothing where the host can write it while nobody looks.
std::optional<std::uint64_t> digest_of_memory()
{
    const std::optional<std::vector<Region>> allocations = memory_out_of_reach();
    const std::vector<Region>& variables = variables_of_program();
    if (!allocations || variables.empty()) // any program has some: this one has been stripped
        return std::nullopt;
    Digest digest;
    for (const Region& region : *allocations)
        digest.add(region);
    for (const Region& region : variables)
        digest.add(region);
    return digest.value();
}

} // namespace

void note_change_of_memory()
{
    ++state;
}

void note_effect()
{
    ++effects;
}

Repetition::Repetition(const std::string& identity)
    : lock_(one_at_a_time), known_(identity.empty() ? nullptr : &known_of(identity))
{}

void Repetition::note_run(const std::string& identity)
{
    const std::lock_guard lock(one_at_a_time);
    if (!identity.empty())
        known_of(identity).has_run = true;
}

bool Repetition::has_run(const std::string& identity)
{
    const std::lock_guard lock(one_at_a_time);
    const auto found = all_known().find(identity);
    return found != all_known().end() && found->second.has_run;
}

bool Repetition::changes_nothing() const
{
    return known_ != nullptr && known_->settled_at == state;
}

void Repetition::begin()
{
    if (known_ == nullptr)
        return;
    known_->has_run = true;
    if (++known_->executions < 4 || !std::has_single_bit(known_->executions))
        return;
    before_ = digest_of_memory();
    effects_before_ = effects;
}

void Repetition::end()
{
    if (before_ && effects == effects_before_ && digest_of_memory() == before_)
        known_->settled_at = state;
    else
        note_change_of_memory();
}

void Repetition::end_settled(bool changed)
{
    if (changed)
        note_change_of_memory();
    if (known_ == nullptr)
        return;
    ++known_->executions;
    known_->settled_at = state;
}

} // namespace cpu_device
