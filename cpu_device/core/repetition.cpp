#include "core/repetition.hpp"

#include "core/arena.hpp"
#include "core/devices.hpp"
#include "core/host.hpp"
#include "core/immortal.hpp"
#include "core/memory.hpp"
#include "core/sample.hpp"
#include "cpu_device/detail/engine.hpp"

#include <array>
#include <atomic>
#include <bit>
#include <functional>
#include <iterator>
#include <map>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace cpu_device {

namespace {

std::atomic<std::uint64_t> state = 0; ///< number of the memory's state
std::atomic<std::uint64_t> effects = 0;

/// A program may launch from as many threads as it likes.
std::mutex one_at_a_time;

using Executions = std::unordered_map<std::string, Repetition::Known>; ///< by identity

Repetition::Known& known_of(const std::string& identity)
{
    constexpr std::size_t most = 1 << 12; // of a program that never repeats its arguments
    auto& known = immortal<Executions>();
    if (known.size() >= most)
        known.clear();
    return known[identity];
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

/// Of all that kernels can write; nothing where the host can write it while nobody looks.
std::optional<std::uint64_t> digest_of_memory()
{
    const std::optional<std::vector<Region>> allocations = memory_out_of_reach();
    const std::vector<Region>& variables = variables_of_program();
    if (!allocations || variables.empty()) // any program has some: this one has been stripped
        return std::nullopt;
    std::uint64_t digest = 0;
    for (const std::vector<Region>* regions : {&*allocations, &variables})
        for (const Region& region : *regions) {
            const auto* const bytes = reinterpret_cast<const char*>(region.begin);
            digest = std::rotl(digest, 23) ^
                     std::hash<std::string_view>()(std::string_view(bytes, region.bytes));
        }
    return digest;
}

using Key =
    std::tuple<const void*, std::array<unsigned, 3>, std::array<unsigned, 3>, std::size_t, int>;

/// By configuration, and for each by the arguments that are whole numbers.
using Variants = std::map<std::vector<long long>, Repeats>;
using Configurations = std::map<Key, Variants>;

std::atomic<bool> kernels_print = false;
std::atomic<bool> given_up =
    false; ///< so much was deferred that the program may wait for time to pass
std::atomic<bool> anything_is_deferred = false;

using DeferredWork = std::vector<std::function<void()>>; ///< under one_launch()

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
    const auto& known = immortal<Executions>();
    const auto found = known.find(identity);
    return found != known.end() && found->second.has_run;
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

Repeats& repeats_of(const LaunchConfiguration& configuration)
{
    constexpr std::size_t most = 16;
    const auto extent = [](const Dimensions& size) { return std::array{size.x, size.y, size.z}; };
    const Key key(configuration.function, extent(configuration.grid), extent(configuration.block),
                  configuration.dynamic_shared_bytes, current_device());
    Variants& variants = immortal<Configurations>()[key];
    std::vector<long long> numbers;
    for (std::size_t i = 0; i < configuration.number_count; ++i)
        numbers.push_back(configuration.numbers[i].value);
    const auto known = variants.find(numbers);
    if (known != variants.end())
        return known->second;
    std::uint64_t requests = 0;
    for (const auto& [other, repeats] : variants)
        requests += repeats.requests;
    if (variants.size() >= most || requests > most / 2 * enough_requests)
        return std::prev(variants.end())->second;
    Repeats next;
    if (!variants.empty()) {
        next = variants.begin()->second;
        next.launches = next.requests = 0;
    }
    return variants[numbers] = next;
}

void forget_repeats()
{
    immortal<Configurations>().clear();
}

bool note_printing_kernels()
{
    kernels_print = true;
    return true;
}

std::unique_lock<std::recursive_mutex> one_launch()
{
    return std::unique_lock(immortal<std::recursive_mutex>());
}

bool may_defer()
{
    return !kernels_print && !given_up && device_count() == 1 && memory_out_of_reach().has_value();
}

void deferred(std::function<void()> work)
{
    constexpr std::size_t most = 1 << 14; // llm.c's benchmarks need three quarters of it
    auto& queue = immortal<DeferredWork>();
    queue.push_back(std::move(work));
    anything_is_deferred = true;
    if (queue.size() < most)
        return;
    given_up = true;
    run_deferred();
}

bool deferred_behind_others(const std::function<void()>& work)
{
    const auto lock = one_launch();
    if (immortal<DeferredWork>().empty())
        return false;
    deferred(work);
    return true;
}

bool any_deferred()
{
    return anything_is_deferred;
}

void run_deferred()
{
    if (!anything_is_deferred)
        return;
    const auto lock = one_launch();
    const DeviceMemoryAccess access(false); // opened once for all
    for (const std::function<void()>& work : std::exchange(immortal<DeferredWork>(), {}))
        work();
    anything_is_deferred = false;
    arena().discard_kept();
}

} // namespace cpu_device
