#include "core/coalescer.hpp"

#include <bit>
#include <functional>

namespace cpu_device {

namespace {

constexpr unsigned banks = 32;
constexpr unsigned bank_bytes = 4;

/// Wavefronts for the lanes `mask`, which are served together: the most words wanted of one bank.
/// Calls serve(wavefront, bank, lane) for each word, with the first lane that wants it.
template<class Serve>
unsigned serve_together(const Request& request, unsigned mask, Serve serve)
{
    std::array<std::array<std::uint32_t, 2 * warp_lanes>, banks> words; // wanted, by bank
    std::array<unsigned, banks> wanted{};
    unsigned wavefronts = 0;
    for (unsigned lane = 0; lane < warp_lanes; ++lane) {
        if ((mask >> lane & 1) == 0)
            continue;
        const std::uintptr_t first = request.addresses[lane] / bank_bytes;
        const std::uintptr_t last = (request.addresses[lane] + request.bytes - 1) / bank_bytes;
        for (std::uintptr_t word = first; word <= last; ++word) {
            auto& row = words[word % banks];
            unsigned& depth = wanted[word % banks];
            const auto end = row.begin() + depth;
            // Shared memory is far smaller than what 32 bits of a word's number tell apart.
            const auto name = static_cast<std::uint32_t>(word);
            if (std::find(row.begin(), end, name) == end) {
                *end = name;
                serve(depth, static_cast<unsigned>(word % banks), lane);
                wavefronts = std::max(wavefronts, ++depth);
            }
        }
    }
    return wavefronts;
}

/// True if each lane and the lane whose number differs in `bit` want the same address.
bool pairs_agree(const Request& request, unsigned bit)
{
    for (unsigned lane = 0; lane < warp_lanes; ++lane) {
        const unsigned partner = lane ^ bit;
        if ((request.mask >> lane & 1) && (request.mask >> partner & 1) &&
            request.addresses[lane] != request.addresses[partner])
            return false;
    }
    return true;
}

/// Calls visit(mask) for the lanes that are served together, as the comment on count_conflicts()
/// says.
template<class Visit>
void for_each_part(const Request& request, Access access, Visit visit)
{
    if (request.bytes <= bank_bytes)
        return visit(request.mask);
    const unsigned part_lanes = warp_lanes * bank_bytes / request.bytes;
    const unsigned part = (1u << part_lanes) - 1;
    const bool merges =
        access == Access::load && (pairs_agree(request, 1) || pairs_agree(request, 2));
    for (unsigned lane = 0; lane < warp_lanes; lane += 2 * part_lanes) {
        const unsigned low = request.mask & part << lane;
        const unsigned high = request.mask & part << (lane + part_lanes);
        if (merges && (low | high) != 0) {
            visit(low | high);
            continue;
        }
        for (const unsigned own : {low, high})
            if (own != 0)
                visit(own);
    }
}

} // namespace

unsigned count_conflicts(const Request& request, Access access)
{
    if (side_by_side(request))
        return 0;
    unsigned conflicts = 0;
    for_each_part(request, access, [&](unsigned part) {
        conflicts += serve_together(request, part, [](unsigned, unsigned, unsigned) {}) - 1;
    });
    return conflicts;
}

unsigned count_parts(const Request& request, Access access)
{
    unsigned parts = 0;
    for_each_part(request, access, [&](unsigned) { ++parts; });
    return parts;
}

std::vector<std::array<std::optional<unsigned>, 32>> wavefronts_of(const Request& request,
                                                                   Access access)
{
    std::vector<std::array<std::optional<unsigned>, 32>> wavefronts;
    for_each_part(request, access, [&](unsigned part) {
        const std::size_t before = wavefronts.size();
        serve_together(request, part, [&](unsigned wavefront, unsigned bank, unsigned lane) {
            wavefronts.resize(std::max(wavefronts.size(), before + wavefront + 1));
            wavefronts[before + wavefront][bank] = lane;
        });
    });
    return wavefronts;
}

unsigned count_constant_wavefronts(const Request& request)
{
    const std::uintptr_t element = std::max<std::uintptr_t>(request.bytes, 4);
    LaneAddresses wanted;
    const auto end = sorted_lanes(request, wanted, [=](auto address) { return address / element; });
    return static_cast<unsigned>(std::unique(wanted.begin(), end) - wanted.begin());
}

unsigned count_local_sectors(const Request& request)
{
    constexpr std::uintptr_t word = 4; // bytes
    constexpr unsigned words_of_sector = Counts::sector_bytes / word;
    constexpr unsigned most_words = 4; // of a lane
    std::array<std::uintptr_t, most_words * warp_lanes> sectors;
    auto end = sectors.begin();
    for (unsigned lane = 0; lane < warp_lanes; ++lane) {
        if ((request.mask >> lane & 1) == 0)
            continue;
        const std::uintptr_t last = (request.addresses[lane] + request.bytes - 1) / word;
        for (std::uintptr_t w = request.addresses[lane] / word; w <= last; ++w)
            *end++ = (warp_lanes * w + lane) / words_of_sector;
    }
    std::sort(sectors.begin(), end);
    return static_cast<unsigned>(std::unique(sectors.begin(), end) - sectors.begin());
}

unsigned count_atomic_sectors(const Request& request)
{
    LaneAddresses wanted;
    const auto end = sorted_lanes(request, wanted, std::identity());
    unsigned count = 0;
    unsigned most = 0; // lanes of one address of the sector
    unsigned same = 0;
    for (auto lane = wanted.begin(); lane != end; ++lane) {
        const bool again = lane != wanted.begin() && *lane == lane[-1];
        const bool here = lane != wanted.begin() &&
                          *lane / Counts::sector_bytes == lane[-1] / Counts::sector_bytes;
        same = again ? same + 1 : 1;
        count += here ? 0 : most;
        most = here ? std::max(most, same) : 1;
    }
    return count + most;
}

bool lanes_differ(const Request& request)
{
    const auto first = static_cast<unsigned>(std::countr_zero(request.mask));
    for (unsigned lane = first; lane < warp_lanes; ++lane)
        if ((request.mask >> lane & 1) && request.addresses[lane] != request.addresses[first])
            return true;
    return false;
}

} // namespace cpu_device
