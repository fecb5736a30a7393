/// \file
/// What the memory pipeline makes of one request: 32-byte sectors of global memory, wavefronts over
/// the 32 banks of shared memory.
#pragma once

#include "cpu_device/counts.hpp"
#include "cpu_device/detail/engine.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace cpu_device {

inline constexpr unsigned all_lanes = 0xFFFFFFFFu;

/// Address by lane; those of lanes that take no part mean nothing.
using LaneAddresses = std::array<std::uintptr_t, warp_lanes>;

/// One load, store or atomic instruction as one warp executes it. Addresses are multiples of
/// `bytes`, so that no lane straddles two sectors.
struct Request
{
    const LaneAddresses& addresses;
    unsigned mask;  ///< lanes that take part, not 0
    unsigned bytes; ///< a lane: 1, 2, 4, 8 or 16
};

/// True if all 32 lanes take part and lie side by side in ascending order.
[[nodiscard]] inline bool side_by_side(const Request& request)
{
    if (request.mask != all_lanes)
        return false;
    std::uintptr_t difference = 0; // collected without a branch, so that the loop vectorises
    for (unsigned lane = 0; lane < warp_lanes; ++lane)
        difference |= request.addresses[lane] - (request.addresses[0] + lane * request.bytes);
    return difference == 0;
}

/// Sorts `of(address)` of the lanes that take part to the front of `values`; returns their end.
template<class Of>
LaneAddresses::iterator sorted_lanes(const Request& request, LaneAddresses& values, Of of)
{
    auto end = values.begin();
    for (unsigned lane = 0; lane < warp_lanes; ++lane)
        if (request.mask >> lane & 1)
            *end++ = of(request.addresses[lane]);
    if (!std::is_sorted(values.begin(), end))
        std::sort(values.begin(), end);
    return end;
}

/// The different sectors that a request touches. Calls touch(first, last) for each run of
/// neighbouring sectors, numbered as address / 32.
template<class Touch>
unsigned count_sectors(const Request& request, Touch touch)
{
    constexpr std::uintptr_t sector = Counts::sector_bytes;
    if (side_by_side(request)) {
        const std::uintptr_t first = request.addresses[0] / sector;
        const std::uintptr_t last =
            (request.addresses[0] + warp_lanes * request.bytes - 1) / sector;
        touch(first, last);
        return static_cast<unsigned>(last - first + 1);
    }
    LaneAddresses sectors;
    const auto end = sorted_lanes(request, sectors, [](auto address) { return address / sector; });
    unsigned count = 1;
    std::uintptr_t first = sectors[0];
    std::uintptr_t last = first;
    for (auto next = sectors.begin() + 1; next != end; ++next) {
        if (*next == last)
            continue;
        ++count;
        if (*next != last + 1) {
            touch(first, last);
            first = *next;
        }
        last = *next;
    }
    touch(first, last);
    return count;
}

/// Wavefronts over the banks of shared memory beyond the fewest that a request needs: its
/// conflicts.
///
/// The 32 banks are 4 bytes wide. A wavefront serves any number of lanes that access the same word
/// of a bank, but only one word of each bank. A warp whose lanes move 8 bytes is served half by
/// half, 16 bytes quarter by quarter. The halves of a load, and its first two and last two
/// quarters, merge if in each pair (i, i xor 1) of lanes of the warp, or in each (i, i xor 2), both
/// lanes that take part want the same address. NVIDIA says so of compute capability 7.0 to 7.5, in
/// the answer to "Unexpected shared memory bank conflict" (forums.developer.nvidia.com, topic
/// 77228); that it holds for the warp as a whole, and not for stores, was measured on an H200:
/// Nsight Compute counts as many wavefronts and conflicts for each of 568 warps with regular and
/// random addresses.
[[nodiscard]] unsigned count_conflicts(const Request& request, Access access);
/// The fewest wavefronts that the request needs: the parts in which its lanes are served.
[[nodiscard]] unsigned count_parts(const Request& request, Access access);
/// All wavefronts of a request, as WarpRequest::wavefronts.
[[nodiscard]] std::vector<std::array<std::optional<unsigned>, 32>>
wavefronts_of(const Request& request, Access access);

/// Wavefronts of the constant cache: one for each different element, of 4 bytes at least, that
/// lanes access. Lanes that want bytes of one word share one.
[[nodiscard]] unsigned count_constant_wavefronts(const Request& request);

/// The different sectors that a request to local memory touches. Its addresses are offsets in the
/// memory of a lane; those memories are interleaved word by word, so that word w of lane l is word
/// 32 w + l: one word of all lanes is four sectors.
[[nodiscard]] unsigned count_local_sectors(const Request& request);

/// Sectors that a request of a global atomic moves: each that it touches as often as the most lanes
/// access one address of it. So did Nsight Compute count on an H200 for 259 of 273 launches (RED
/// and ATOM, 4 and 8 bytes, all operations); the others, random over a few lines, by up to 1.3 %
/// more.
[[nodiscard]] unsigned count_atomic_sectors(const Request& request);

/// True if the lanes do not all have the same address.
[[nodiscard]] bool lanes_differ(const Request& request);

} // namespace cpu_device
