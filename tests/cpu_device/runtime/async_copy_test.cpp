#include "tests/cpu_device/runtime/kernels.hpp"

#include "cpu_device/device_limits.hpp"
#include "cpu_device/launches.hpp"
#include "cpu_device/settings.hpp"
#include "tests/catch.hpp"

#include <algorithm>

TEST_CASE("an asynchronous copy has arrived after the wait")
{
    std::vector<int> reversed(256);
    for (int i = 0; i < 256; ++i)
        reversed[static_cast<std::size_t>(i)] = 255 - i;
    const std::uint64_t seed = GENERATE(0, 1, 2);
    INFO("lane order " << seed);
    cpu_device::settings().lane_order = seed;
    CHECK(kernels::staged_copy(true) == reversed);
    cpu_device::settings().lane_order = 0;
    const cpu_device::Counts& counts = cpu_device::launches().back().counts;
    // 256 ints are 64 units of 16 bytes: two warps.
    CHECK(counts.load_requests == 2);
    CHECK(counts.load_sectors == 32);
    CHECK(counts.load_bytes == 1024);
    CHECK(counts.store_bytes == 1024);
}

TEST_CASE("a missing wait shows: until then shared memory holds poison")
{
    const auto poison = static_cast<int>(cpu_device::poison);
    CHECK(kernels::staged_copy(false) == std::vector<int>(256, poison));
}

TEST_CASE("the zero-filled end of a copy is zero")
{
    CHECK(kernels::zero_filled_copy() == std::vector<int>{5, 5, 0, 0});
}
