// 15.2: Count the extra sector of a misaligned load
// minutes: 10
// difficulty: 1
// practises: sectors of a request, read off its first address
// hint: How many floats fill a sector? Divide by that number the index at which the first warp of
//     each kernel begins to load, and the one at which it begins to store.
// hint: A request for 32 contiguous floats touches four sectors if it begins at a sector boundary,
//     and otherwise five. The second warp begins 32 elements later, which makes no difference in
//     three of the kernels.
// hint: Where do rows 0, 1, 2 and 3 of 36 floats begin, in sectors? An average between four and
//     five means that there are warps of both kinds.
#include "common/exercise.hpp"

void solve(unsigned kernel, const float* a, float* c, std::size_t n);
char row_of_from_eight();
char row_of_to_eleven();
char row_of_from_one_to_twenty();
char row_of_from_rows_of_36();

void goals(common::Attempt& attempt)
{
    const std::size_t n = 1024;
    common::Copy<float> problem(attempt, {.n = n / 32 * 36 + 32});
    const auto launch = [&](unsigned kernel) {
        return [&, kernel] { solve(kernel, problem.a, problem.c, n); };
    };
    attempt.rows(problem,
                 {"load_requests", "load_sectors_per_request", "store_requests",
                  "store_sectors_per_request"},
                 {{"from_eight", 'C', row_of_from_eight(), launch(0)},
                  {"to_eleven", 'A', row_of_to_eleven(), launch(1)},
                  {"from_one_to_twenty", 'D', row_of_from_one_to_twenty(), launch(2)},
                  {"from_rows_of_36", 'B', row_of_from_rows_of_36(), launch(3)}});
}
