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
    advise(where, "the shuffle at " + to_string(where) + " reads lane " + std::to_string(source) +
                      ", which " +
                      ((mask >> source & 1u) == 0
                           ? "is not in its mask " + hexadecimal(mask, warp_lanes / 4)
                           : "has exited") +
                      "; the result is undefined in CUDA; here it is 0.");
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

unsigned lanes_with(std::uint64_t wanted, unsigned mask, std::uint64_t own, SourceLine where)
{
    const WarpValues& all = warp_exchange(mask, own, where);
    unsigned found = 0;
    for (unsigned index = 0; index < all.value.size(); ++index)
        if ((all.mask >> index & 1u) != 0 && all.value[index] == wanted)
            found |= 1u << index;
    return found;
}

} // namespace cpu_device

unsigned __reduce_add_sync(unsigned mask, unsigned value, cpu_device::SourceLine where)
{
    return cpu_device::reduce_lanes(mask, value, std::plus(), where);
}

int __reduce_add_sync(unsigned mask, int value, cpu_device::SourceLine where)
{
    // Unsigned: a sum that wraps around does so quietly, as on a GPU.
    return static_cast<int>(__reduce_add_sync(mask, static_cast<unsigned>(value), where));
}
