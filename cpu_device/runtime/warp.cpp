/// \file
/// Shuffles, votes and reductions of a warp, on the engine's one exchange.
#include "cpu_device/detail/warp.hpp"
#include "core/faults.hpp"

#include <algorithm>
#include <functional>
#include <string>

namespace cpu_device {

namespace {

// Apart, as what makes a sentence needs a large frame: lanes that wait share a cache.
[[gnu::noinline]] void advise_on_source(unsigned mask, int source, SourceLine where)
{
    advise(where, "the shuffle of " + to_string(where) + " reads lane " + std::to_string(source) +
                      ", which " +
                      ((mask >> source & 1u) == 0
                           ? "is not in its mask " + hexadecimal(mask, warp_lanes / 4)
                           : "runs no more") +
                      "; CUDA leaves the result undefined, and here it is 0.");
}

} // namespace

std::uint64_t lane_bits(unsigned mask, std::uint64_t own, int source, SourceLine where, bool tail)
{
    const WarpValues& all = warp_exchange(mask, own, where);
    if (source < 0 || static_cast<unsigned>(source) >= warp_lanes)
        return own;
    if ((all.mask >> source & 1u) == 0 && !tail)
        advise_on_source(mask, source, where);
    return (all.mask >> source & 1u) == 0 ? 0 : all.value[static_cast<std::size_t>(source)];
}

unsigned all_lane_bits(unsigned mask, std::uint64_t own, std::uint64_t* bits, SourceLine where)
{
    const WarpValues& all = warp_exchange(mask, own, where);
    std::ranges::copy(all.value, bits);
    return all.mask;
}

unsigned lanes_equal_to(unsigned mask, std::uint64_t own, SourceLine where)
{
    const WarpValues& all = warp_exchange(mask, own, where);
    unsigned equal = 0;
    for (unsigned index = 0; index < all.value.size(); ++index)
        if ((all.mask >> index & 1u) != 0 && all.value[index] == own)
            equal |= 1u << index;
    return equal;
}

unsigned ballot(unsigned mask, bool predicate, SourceLine where)
{
    const WarpValues& all = warp_exchange(mask, predicate ? 1 : 0, where);
    unsigned votes = 0;
    for (unsigned index = 0; index < all.value.size(); ++index)
        if ((all.mask >> index & 1u) != 0 && all.value[index] != 0)
            votes |= 1u << index;
    return votes;
}

} // namespace cpu_device

#define REDUCTION(name, T, combined)                                                               \
    T name(unsigned mask, T value, cpu_device::SourceLine where)                                   \
    {                                                                                              \
        return cpu_device::reduce_lanes(                                                           \
            mask, value, [](T a, T b) { return combined; }, where);                                \
    }
REDUCTION(__reduce_add_sync, unsigned, a + b)
// Unsigned: a sum that wraps around does so quietly, as on a GPU.
REDUCTION(__reduce_add_sync, int, static_cast<int>(static_cast<unsigned>(a) + unsigned(b)))
REDUCTION(__reduce_min_sync, unsigned, std::min(a, b))
REDUCTION(__reduce_min_sync, int, std::min(a, b))
REDUCTION(__reduce_max_sync, unsigned, std::max(a, b))
REDUCTION(__reduce_max_sync, int, std::max(a, b))
REDUCTION(__reduce_and_sync, unsigned, std::bit_and()(a, b))
REDUCTION(__reduce_or_sync, unsigned, a | b)
REDUCTION(__reduce_xor_sync, unsigned, a ^ b)
