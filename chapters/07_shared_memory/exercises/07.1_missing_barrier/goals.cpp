// 07.1: Missing barrier
// minutes: 10
// difficulty: 2
// practises: __syncthreads() between the writes and the reads of a tile
// hint: Which thread writes the slot of `tile` that thread 0 reads? Is anything known about when
//     that thread runs?
// hint: The slots that a warp reads here were written by another warp of the block, which may not
//     even have started.
// hint: All writes of the block must be done before the first read: __syncthreads() ensures that.
//     All threads of the block must reach it, also threads without an element.
#include "common/exercise.hpp"

#include <algorithm>

void solve(const float* a, float* c, std::size_t n);

void goals(common::Attempt& attempt)
{
    const std::size_t n = attempt.n();
    common::Arrays<float> problem(attempt, {.task = "turn"}, [n](auto& in, std::size_t i) {
        const std::size_t start = i / 256 * 256;
        const std::size_t count = std::min<std::size_t>(256, n - start);
        return in.a[start + count - 1 - (i - start)];
    });
    attempt.run(problem, [&] { solve(problem.a, problem.c, problem.n); });
    attempt.launches(1);
    attempt.sectors_per_load(4);
    attempt.sectors_per_store(4);
    attempt.no_bank_conflicts();
    attempt.loads_at_most(n * sizeof(float));
    attempt.stores_at_most(n * sizeof(float));
}
