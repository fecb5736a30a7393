// 36.2: Compute bandwidth from the bytes in flight
// minutes: 15
// difficulty: 2
// practises: bytes in flight of a pipeline, Little's law
// hint: The bytes in flight per SM are blocks x 128 threads x stages x width. Compute them for
//     each of the six launches. Two pairs have the same.
// hint: The bandwidth is that of all 100 SMs: bytes in flight / 500 ns, as long as that is below
//     3000 GB/s.
// hint: 2, 8, 16, 0.5, 2 and 8 KiB, in the order of the launches. Of two with the same bytes,
//     the one with wide copies issues a quarter of the requests.
#include "common/exercise.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

void solve(unsigned which, const unsigned* a, unsigned* c, std::size_t n);
char row_of_wide_one_stage();
char row_of_wide_four_stages();
char row_of_wide_four_stages_two_blocks();
char row_of_narrow_one_stage();
char row_of_narrow_four_stages();
char row_of_narrow_four_stages_four_blocks();

namespace {

/// GB/s that so many bytes in flight on each of 100 SMs give, at 500 ns.
std::string gb_per_s(unsigned blocks, unsigned stages, unsigned width)
{
    const double in_flight = 100.0 * blocks * 128 * stages * width;
    return std::to_string(std::lround(std::min(in_flight / 500, 3000.0)));
}

} // namespace

void goals(common::Attempt& attempt)
{
    common::Copy<unsigned> problem(attempt, {.n = 1U << 18U});
    const auto launch = [&](unsigned which) {
        return [&, which] { solve(which, problem.a, problem.c, problem.n); };
    };
    attempt.rows(problem, {"load_requests", "load_bytes"},
                 {{"wide, one stage, one block", 'E', row_of_wide_one_stage(), launch(0),
                   gb_per_s(1, 1, 16)},
                  {"wide, four stages, one block", 'C', row_of_wide_four_stages(), launch(1),
                   gb_per_s(1, 4, 16)},
                  {"wide, four stages, two blocks", 'A', row_of_wide_four_stages_two_blocks(),
                   launch(2), gb_per_s(2, 4, 16)},
                  {"narrow, one stage, one block", 'D', row_of_narrow_one_stage(), launch(3),
                   gb_per_s(1, 1, 4)},
                  {"narrow, four stages, one block", 'F', row_of_narrow_four_stages(), launch(4),
                   gb_per_s(1, 4, 4)},
                  {"narrow, four stages, four blocks", 'B', row_of_narrow_four_stages_four_blocks(),
                   launch(5), gb_per_s(4, 4, 4)}},
                 "GB/s");
}
