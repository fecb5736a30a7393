// Which lanes share a wavefront of shared memory: known answers.
#include "core/coalescer.hpp"
#include "core/request_log.hpp"
#include "core/tracer.hpp"
#include "tests/catch.hpp"

#include <set>

using namespace cpu_device;

namespace {

/// Of a load by the first `lanes` lanes, `stride` bytes apart.
auto wavefronts(unsigned bytes, unsigned stride, unsigned lanes = 32)
{
    LaneAddresses addresses{};
    for (unsigned lane = 0; lane < lanes; ++lane)
        addresses[lane] = std::uintptr_t{lane} * stride;
    const Request request{addresses, all_lanes >> (32 - lanes), bytes};
    const auto found = wavefronts_of(request, Access::load);
    const std::size_t fewest = found.size() - count_conflicts(request, Access::load);
    CHECK(fewest == (bytes <= 4 || stride == 0 ? 1 : bytes / 4));
    return found;
}

} // namespace

TEST_CASE("a row takes one wavefront, and a column one a lane")
{
    CHECK(wavefronts(4, 4).size() == 1);
    CHECK(wavefronts(4, 128).size() == 32);
    CHECK(wavefronts(4, 132).size() == 1);
    CHECK(wavefronts(4, 0, 31).size() == 1);
}

TEST_CASE("eight lanes of sixteen bytes are served together")
{
    const auto together = wavefronts(16, 16);
    REQUIRE(together.size() == 4);
    std::set<unsigned> lanes;
    for (const auto& lane : together[1])
        lanes.insert(lane.value());
    CHECK(lanes == std::set<unsigned>{8, 9, 10, 11, 12, 13, 14, 15});
    CHECK(wavefronts(16, 256).size() == 32);
}

TEST_CASE(
    "a local array is in memory if lanes differ in any part of a launch, whichever comes last")
{
    const Counts requests{.local_load_requests = 3};
    std::vector<LocalArrayTraffic> all{{1, true, requests}};
    add_local_arrays(all, {{1, false, requests}, {2, false, requests}});
    CHECK(count_local_arrays(all).local_load_requests == 6);
    add_local_arrays(all, {{2, true, {}}});
    CHECK(count_local_arrays(all).local_load_requests == 9);
}
