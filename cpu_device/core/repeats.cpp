#include "core/repeats.hpp"

#include "core/devices.hpp"
#include "core/immortal.hpp"
#include "core/sample.hpp"

#include <array>
#include <iterator>
#include <map>
#include <tuple>
#include <vector>

namespace cpu_device {
namespace {

using Key =
    std::tuple<const void*, std::array<unsigned, 3>, std::array<unsigned, 3>, std::size_t, int>;

/// By configuration, and for each by the arguments that are whole numbers.
using Variants = std::map<std::vector<long long>, Repeats>;
std::map<Key, Variants>& all_repeats()
{
    return immortal<std::map<Key, Variants>>();
}

} // namespace

Repeats& repeats_of(const LaunchConfiguration& configuration)
{
    constexpr std::size_t most = 16;
    const auto extent = [](const Dimensions& size) { return std::array{size.x, size.y, size.z}; };
    Variants& variants = all_repeats()[{configuration.function, extent(configuration.grid),
                                        extent(configuration.block),
                                        configuration.dynamic_shared_bytes, current_device()}];
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
    all_repeats().clear();
}

} // namespace cpu_device
