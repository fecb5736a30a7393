// 26.2: Barrier before a tile is reused
// minutes: 15
// difficulty: 2
// practises: a tile that is used again in a loop, the second barrier
// hint: Follow two warps through two steps of the loop. The first one is through with its part and
//     begins the next step: what does it write, and who may still want to read there?
// hint: A barrier orders what stands before it and what stands behind it. What stands between the
//     reads of one step and the writes of the next?
// hint: All threads of the block have to meet once more, at the end of each step, also those that
//     have no element. Or let the steps use two tiles in turn.
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
