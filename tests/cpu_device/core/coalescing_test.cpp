#include "tests/cpu_device/core/coalescing.hpp"

#include "cpu_device/launches.hpp"
#include "cpu_device/settings.hpp"
#include "tests/catch.hpp"

#include <cstdint>
#include <ostream>
#include <set>
#include <string>

namespace cpu_device {

std::ostream& operator<<(std::ostream& out, const Counts& counts)
{
    for (const Counter& counter : counters)
        out << counter.name << ' ' << counts.*counter.member << ", ";
    return out;
}

} // namespace cpu_device

namespace {

cpu_device::Counts counts_of(const Moved& moved)
{
    return {.load_requests = moved.load.requests,
            .load_sectors = moved.load.sectors,
            .load_bytes = moved.load.bytes,
            .store_requests = moved.store.requests,
            .store_sectors = moved.store.sectors,
            .store_bytes = moved.store.bytes,
            .atomic_requests = moved.atomic.requests,
            .atomic_sectors = moved.atomic.parts,
            .shared_load_requests = moved.shared_load.requests,
            .shared_load_conflicts = moved.shared_load.parts,
            .shared_store_requests = moved.shared_store.requests,
            .shared_store_conflicts = moved.shared_store.parts,
            .constant_requests = moved.constant.requests,
            .constant_wavefronts = moved.constant.parts,
            .local_load_requests = moved.local_load.requests,
            .local_load_sectors = moved.local_load.parts,
            .local_store_requests = moved.local_store.requests,
            .local_store_sectors = moved.local_store.parts,
            .distinct_sectors = moved.distinct_sectors,
            .divergent_warps = moved.divergent_warps};
}

} // namespace

TEST_CASE("every kernel's transactions follow its formula")
{
    // Which lane runs first must not be seen in the counts.
    const std::uint64_t seed = GENERATE(0, 1, 20261120);
    CAPTURE(seed);
    std::set<std::string> claims;
    cpu_device::settings().lane_order = seed;
    run_coalescing_cases([&](const std::string& claim, const auto& launch, const Moved& moved) {
        INFO(claim);
        cpu_device::forget_launches();
        launch();
        REQUIRE(cpu_device::launches().size() == 1);
        CHECK(cpu_device::launches()[0].counts == counts_of(moved));
        claims.insert(claim);
    });
    cpu_device::settings().lane_order = 0;
    CHECK(claims.size() >= 30);
}
