// 28.2: Warp reduction with a partial warp
// minutes: 10
// difficulty: 1
// practises: threads past the end of an array in a reduction
// hint: Let n be 1. How many threads does the block have, and what does each of them contribute?
// hint: A thread past the end reads the last element, so that no load is past the end. How often
//     is that element added?
// hint: A thread past the end must take part in the shuffles, with a value that changes no sum.
#include "chapters/28_reduction/reduction.hpp"
#include "common/exercise.hpp"

void solve(const unsigned* a, unsigned* c, std::size_t n);

void goals(common::Attempt& attempt)
{
    Reduction<unsigned, unsigned> problem(attempt, "sum", attempt.n(), Values::random);
    problem.expect(0);
    attempt.run(problem, [&] { solve(problem.a, problem.c, problem.n); });
    attempt.launches(1);
    attempt.loads_at_most(problem.n * sizeof(unsigned));
    const std::uint64_t warps = (problem.n + 255) / 256 * 8;
    attempt.load_requests_at_most(warps);
    attempt.at_most("atomics", "adds to c once per warp at most", "serialized additions to c",
                    attempt.counts().atomic_sectors, warps);
}
