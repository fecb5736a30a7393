// 03.3: Grid-stride loop with a fixed grid
// minutes: 10
// difficulty: 2
// practises: a loop that strides by the grid
// hint: How many elements may a thread have to add if n is a million? Can that be a constant of the
//     program?
// hint: In the starter, each step of the loop advances the block by its number of threads. Let each
//     step advance the whole grid instead. How many threads is that?
// hint: A thread begins at its index in the grid, and advances by gridDim.x * blockDim.x while its
//     index is below n.
#include "common/exercise.hpp"

void solve(const float* a, const float* b, float* c, std::size_t n);

void goals(common::Attempt& attempt)
{
    common::VectorAdd problem(attempt);
    attempt.run(problem, [&] { solve(problem.a, problem.b, problem.c, problem.n); });
    attempt.launches(1);
    attempt.threads_at_most(std::size_t{16} * 64);
    attempt.stores_at_most(problem.n * sizeof(float));
    attempt.sectors_per_load(4);
    attempt.sectors_per_store(4);
    attempt.load_requests_at_most((problem.n + 31) / 32 * 2);
    attempt.threads_at_least(std::size_t{16} * 64);
}
