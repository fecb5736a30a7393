// 26.2: Barrier before a tile is reused
// minutes: 15
// difficulty: 2
// practises: a tile that is used again in a loop, the second barrier
// hint: Follow two warps through two iterations. The first has finished its part and begins the
//     next iteration: what does it write, and which warp may still read there?
// hint: A barrier orders the accesses before it and after it. Which barrier is between the reads of
//     one iteration and the writes of the next?
// hint: All threads of the block must meet once more at the end of each iteration, including those
//     without an element. Or let iterations alternate between two tiles.
#include "common/exercise.hpp"

#include <algorithm>

void solve(const float* a, float* c, std::size_t n);

void goals(common::Attempt& attempt)
{
    const std::size_t n = attempt.n();
    common::Arrays<float> problem(
        attempt, {.task = "subtract mirrored"}, [n](auto& in, std::size_t i) {
            const std::size_t start = i / 256 * 256;
            const std::size_t count = std::min<std::size_t>(256, n - start);
            return in.a[i] - in.a[start + count - 1 - (i - start)];
        });
    attempt.run(problem, [&] { solve(problem.a, problem.c, problem.n); });
    attempt.launches(1);
    attempt.threads_at_most(8 * 256); // the blocks stay
    attempt.loads_at_most(n * sizeof(float));
    attempt.stores_at_most(n * sizeof(float));
    attempt.no_bank_conflicts();
}
