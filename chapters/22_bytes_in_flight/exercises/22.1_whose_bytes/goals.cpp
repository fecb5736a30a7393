// 22.1: Compute the bytes in flight
// minutes: 15
// difficulty: 2
// practises: bytes in flight, Little's law, requests of wide loads
// hint: The launches differ in width, loads and blocks. Which of the three can be told from the
//     number of requests?
// hint: The bandwidth depends on the bytes in flight per SM: blocks x threads per block x loads x
//     width. Calculate them for each of the six launches. Some are equal.
// hint: 1 KiB, 8 KiB, 4 KiB, 32 KiB, 4 KiB and 8 KiB are in flight, in the order of the launches.
//     Of two that have the same, the one with wide loads makes a quarter of the requests.
#include "common/exercise.hpp"

#include <cmath>
#include <cstdint>
#include <string>

void solve(unsigned which, const unsigned* a, unsigned* c, std::size_t n);
char row_of_narrow_in_one_block();
char row_of_narrow_in_eight_blocks();
char row_of_four_narrow_in_one_block();
char row_of_four_narrow_in_eight_blocks();
char row_of_wide_in_one_block();
char row_of_two_wide_in_one_block();

namespace {

/// GB/s that so many bytes in flight on each of 100 SMs give: latency x rate, where
/// latency is 400 ns, and 50 ns x u / (1 - u) more at a share u of 3000 GB/s. Solved for u.
std::string gb_per_s(unsigned blocks, unsigned loads, unsigned width)
{
    const double in_flight = 100.0 * blocks * 256 * loads * width;
    const double idle = 400;
    const double queue = 50;
    const double peak = 3000;          // GB/s, which are bytes per nanosecond
    const double q = in_flight / peak; // q = u (idle + queue u / (1 - u))
    const double half = (idle + q) / 2;
    const double u = (half - std::sqrt(half * half - (idle - queue) * q)) / (idle - queue);
    return std::to_string(std::lround(u * peak));
}

} // namespace

void goals(common::Attempt& attempt)
{
    common::Copy<unsigned> problem(attempt, {.task = "read", .n = 1U << 18U});
    const auto launch = [&](unsigned which) {
        return [&, which] { solve(which, problem.a, problem.c, problem.n); };
    };
    attempt.rows(
        problem, {"load_requests", "load_bytes"},
        {{"narrow in one block", 'D', row_of_narrow_in_one_block(), launch(0), gb_per_s(1, 1, 4)},
         {"narrow in eight blocks", 'B', row_of_narrow_in_eight_blocks(), launch(1),
          gb_per_s(8, 1, 4)},
         {"four narrow in one block", 'F', row_of_four_narrow_in_one_block(), launch(2),
          gb_per_s(1, 4, 4)},
         {"four narrow in eight blocks", 'A', row_of_four_narrow_in_eight_blocks(), launch(3),
          gb_per_s(8, 4, 4)},
         {"wide in one block", 'E', row_of_wide_in_one_block(), launch(4), gb_per_s(1, 1, 16)},
         {"two wide in one block", 'C', row_of_two_wide_in_one_block(), launch(5),
          gb_per_s(1, 2, 16)}},
        "GB/s");
}
