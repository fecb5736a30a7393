#include "tests/cpu_device/runtime/kernels.hpp"

#include "tests/catch.hpp"

TEST_CASE("no atomic is lost between blocks that run on several threads")
{
    constexpr unsigned blocks = 200;
    constexpr unsigned threads = blocks * 96;
    const auto r = kernels::atomic_results(blocks);
    CHECK(r.add == threads);
    CHECK(r.subtract == 0);
    CHECK(r.wide == static_cast<unsigned long long>(threads) << 33);
    CHECK(r.add_float == 0.5f * threads); // exact: below 2^24 halves
    CHECK(r.add_double == 0.25 * threads);
    CHECK(r.minimum == 0);
    CHECK(r.maximum == static_cast<int>(threads) - 1);
    CHECK(r.all_and == 0xFFFFFF00u);
    CHECK(r.all_or == 0xFFu);
    CHECK(r.all_xor == threads % 2);
    CHECK(r.incremented == threads % 7);           // 0, 1, ... 6, 0, ...
    CHECK(r.decremented == (7 - threads % 7) % 7); // 0, 6, 5, ... 0, ...
    CHECK(r.cas_add == static_cast<int>(threads));
    CHECK(r.shared_add == static_cast<int>(threads));
}
