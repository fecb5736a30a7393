// 15.1: Align to sector boundaries
// minutes: 15
// difficulty: 2
// practises: where a warp begins, the address of a pointer as a number
// hint: Suppose the arrays begin three elements after a sector boundary. At which elements do
//     sectors begin, and at which do the warps of the starter begin?
// hint: Shift the grid, not the arrays: let thread 0 correspond to the boundary before the array.
//     What must the first threads do then, and what does the end of the array need?
// hint: lead = address % 32 / 4 is the number of elements between the boundary and the array.
//     Thread `place` processes element place - lead if place >= lead and that element exists; the
//     grid needs at least lead + n threads.
#include "common/exercise.hpp"

void solve(const float* a, float* c, std::size_t n);

void goals(common::Attempt& attempt)
{
    // 11 or 5 elements past a boundary of 256 bytes, so 3 or 5 past one of a sector.
    const common::Setting setting = attempt;
    const std::size_t offset = setting.seed % 2 == 1 ? 11 : 5;
    common::Copy<float> problem(
        attempt, {.n = attempt.n() + 14, .input_offset = offset, .output_offset = offset});
    attempt.run(problem, [&] { solve(problem.a, problem.c, problem.n); });
    attempt.launches(1);
    attempt.sectors_per_load(4);
    attempt.sectors_per_store(4);
    attempt.loads_at_most(problem.n * sizeof(float));
    attempt.stores_at_most(problem.n * sizeof(float));
    attempt.load_requests_at_most(problem.n / 32 + 2);
}
