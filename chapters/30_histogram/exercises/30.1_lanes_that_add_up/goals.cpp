// 30.1: Add up copies without bank conflicts
// minutes: 10
// difficulty: 1
// practises: banks of shared memory, loops with a different start in each lane
// hint: In which bank is own[x * copies + k]? Which threads of a warp read it in the same step?
// hint: The order in which a thread adds its 32 copies is free. With which copy could lane l
//     start, so that the lanes of a warp access 32 banks in every step?
// hint: Let thread x read copy (x + k) % copies in step k.
#include "chapters/30_histogram/histogram.hpp"
#include "common/exercise.hpp"

void solve(const unsigned char* a, unsigned* c, std::size_t n, unsigned blocks);

void goals(common::Attempt& attempt)
{
    Histogram<std::uint8_t> problem(attempt, attempt.n(), Spread::uniform);
    attempt.run(problem, [&] { solve(problem.a, problem.c, problem.n, 30); });
    attempt.launches(1);
    attempt.no_bank_conflicts();
    attempt.shared_loads_at_most(30 * 8 * 32); // blocks, warps, copies
    attempt.loads_at_most(problem.n);
}
