// 07.2: Stencil halo in shared memory
// minutes: 15
// difficulty: 2
// practises: a tile with a halo, a second load by some threads, a guard for each load
// hint: Which elements of a does thread 255 of block 0 need, and which of them are in the tile of
//     block 0? How many slots are missing at the end of the tile?
// hint: The seven elements after the block's own are its halo. Some threads of the block must load
//     a second element. The array may end before or within the halo.
// hint: Make the tile threads + 7 words long. The first seven threads fill the slots from `threads`
//     on: with the element `threads` after their own, or with zero past the end of the array.
//     Both loads come before the barrier.
#include "common/exercise.hpp"

#include <algorithm>

void solve(const float* a, float* c, std::size_t n);

void goals(common::Attempt& attempt)
{
    const std::size_t n = attempt.n();
    common::Arrays<float> problem(attempt, {.task = "window"}, [n](auto& in, std::size_t i) {
        float sum = 0.0f;
        for (std::size_t j = i; j < std::min(i + 8, n); ++j) {
            sum += in.a[j];
        }
        return sum;
    });
    attempt.run(problem, [&] { solve(problem.a, problem.c, problem.n); });
    attempt.launches(1);
    // Blocks of 128 threads or more, each with a halo of seven elements.
    attempt.loads_at_most((n + (n + 127) / 128 * 7) * sizeof(float));
    attempt.stores_at_most(n * sizeof(float));
    attempt.no_bank_conflicts();
}
