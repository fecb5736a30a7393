// 28.1: One atomic per warp
// minutes: 15
// difficulty: 1
// practises: shuffles, fewer atomics
// hint: How many atomics does a warp issue now, and how many if one lane adds for all?
// hint: __shfl_down_sync(0xffffffff, x, 16) gives lane l the x of lane l + 16. After x += that,
//     lanes 0 to 15 hold the sums of two lanes each. What are the next four rounds?
// hint: Start with x = 0 if i is not below n, so that all lanes take part. Halve the distance
//     from 16 to 1, and let the lane whose threadIdx.x % 32 is 0 add x to c.
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
