#include "tests/cpu_device/runtime/kernels.hpp"

#include "tests/catch.hpp"

#include <algorithm>

using kernels::Shuffle;

namespace {

/// The thread whose value thread `t` of 64 gets, from CUDA's definition.
int source_of(int t, Shuffle kind, int argument, int width)
{
    const int first = t / width * width;
    int source = t;
    switch (kind) {
    case Shuffle::indexed:
        return first + (argument % width + width) % width;
    case Shuffle::up:
        source = t - argument;
        return source < first ? t : source;
    case Shuffle::down:
        source = t + argument;
        return source >= first + width ? t : source;
    case Shuffle::exclusive_or:
        source = t / 32 * 32 + ((t % 32) ^ argument);
        return source >= first + width ? t : source;
    }
    return t;
}

} // namespace

TEMPLATE_TEST_CASE("a shuffle reads the lane that CUDA defines", "", int, unsigned, long long,
                   float, double, signed char)
{
    for (const Shuffle kind :
         {Shuffle::indexed, Shuffle::up, Shuffle::down, Shuffle::exclusive_or}) {
        for (const int width : {32, 16, 4, 2}) {
            for (const int argument : {0, 1, 3, 5, 16, 31}) {
                const auto got = kernels::shuffle<TestType>(kind, argument, width);
                std::vector<TestType> expected;
                for (int t = 0; t < 64; ++t)
                    expected.push_back(
                        static_cast<TestType>(3 * source_of(t, kind, argument, width) + 1));
                INFO("kind " << static_cast<int>(kind) << ", width " << width << ", argument "
                             << argument);
                REQUIRE(got == expected);
            }
        }
    }
}

TEST_CASE("votes, matches and reductions see every lane of the warp")
{
    const auto lanes = kernels::warp_results();
    for (unsigned t = 0; t < 32; ++t) {
        INFO("lane " << t);
        CHECK(lanes[t].ballot_odd == 0xAAAAAAAAu);
        CHECK(lanes[t].any_of_none == 0);
        CHECK(lanes[t].all_below_32 == 1);
        CHECK(lanes[t].reduce_add == 31 * 32 / 2 - 16 * 32);
    }
}

TEST_CASE("groups are the lanes that came together")
{
    const auto lanes = kernels::warp_results();
    for (unsigned t = 0; t < 32; ++t) {
        INFO("lane " << t);
        CHECK(lanes[t].active_in_half == (t < 16 ? 0xFFFFu : 0u));
    }
}

TEST_CASE("tiles reduce on their own")
{
    const auto lanes = kernels::warp_results();
    for (unsigned t = 0; t < 32; ++t) {
        INFO("lane " << t);
        const auto first = static_cast<float>(t / 8 * 8);
        CHECK(lanes[t].tile_sum == 8 * first + 28);
        CHECK(lanes[t].tile_ballot == 0b0110u);
        CHECK(lanes[t].tile_rank == t % 8 / 4);
    }
}
