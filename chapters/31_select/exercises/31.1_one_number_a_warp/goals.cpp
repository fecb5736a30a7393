// 31.1: Warp-aggregated atomics
// minutes: 15
// difficulty: 2
// practises: ballots, one atomic per warp, ranks of lanes
// hint: How does a lane find out how many lanes of its warp keep a word, and how many of those
//     are before it?
// hint: __ballot_sync(0xffffffff, keep) has a bit for each lane that keeps its word. __popc
//     counts them; how many of the bits below a lane's own are set?
// hint: Lane 0 adds the number of all to the counter, and __shfl_sync(0xffffffff, first, 0)
//     gives its result to the others. A lane stores at that index plus the number of lanes
//     before it.
#include "chapters/31_select/selection.hpp"
#include "common/exercise.hpp"

void solve(const unsigned* a, unsigned* c, unsigned* count, std::size_t n);

void goals(common::Attempt& attempt)
{
    Selection problem(attempt, attempt.n(), KeepPattern::random_half);
    problem.expect(KeptOrder::any);
    attempt.run(problem, [&] {
        CHECK_CUDA(cudaMemsetAsync(problem.count, 0, sizeof *problem.count));
        solve(problem.a, problem.c, problem.count, problem.n);
    });
    attempt.launches(1);
    attempt.loads_at_most(problem.n * sizeof(unsigned));
    const std::uint64_t warps = (problem.n + 255) / 256 * 8;
    attempt.at_most("atomics", "adds to the counter once per warp at most",
                    "serialized additions to the counter", attempt.counts().atomic_sectors, warps);
}
