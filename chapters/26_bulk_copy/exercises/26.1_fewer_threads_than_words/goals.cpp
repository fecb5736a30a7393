// 26.1: Loop over a tile with fewer threads than words
// minutes: 10
// difficulty: 1
// practises: a loop over a tile, the last tile, the tail
// hint: The first wrong element says which word was not copied. Which thread would have copied it?
// hint: A thread that has copied one word may copy another. Which words are left when each of the
//     192 threads has copied one?
// hint: Turn the condition into a loop: begin at threadIdx.x, step by blockDim.x, and stop at the
//     end of the tile.
#include "common/exercise.hpp"

void solve(const float* a, float* c, std::size_t n);

void goals(common::Attempt& attempt)
{
    common::Copy<float> problem(attempt, {.n = attempt.n() + 400});
    const std::size_t tiles = problem.n / 4 / 256 + 1;
    attempt.run(problem, [&] { solve(problem.a, problem.c, problem.n); });
    attempt.launches(1);
    attempt.threads_at_most(tiles * 192);
    attempt.stores_at_most(problem.n * sizeof(float));
    // Eight for each whole tile, as many for the last one, and one for the tail.
    attempt.load_requests_at_most(tiles * 8 + 1);
    attempt.store_requests_at_most(tiles * 8 + 1);
    attempt.share_of_copy(0.80);
}
