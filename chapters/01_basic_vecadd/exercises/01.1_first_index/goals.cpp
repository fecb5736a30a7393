// 01.1: Compute the global thread index
// minutes: 5
// difficulty: 1
// practises: blockIdx, blockDim and threadIdx
// hint: Which values does threadIdx.x have in block 0, and which in block 1? Write down the
//     elements that the first two blocks of the starter add.
// hint: Every block must begin where the previous block ended. How many elements does one block
//     add?
// hint: Block blockIdx.x begins at element blockIdx.x * blockDim.x. Each thread adds its own index
//     in the block.
#include "common/exercise.hpp"

void solve(const float* a, const float* b, float* c, std::size_t n);

void goals(common::Attempt& attempt)
{
    common::VectorAdd problem(attempt);
    attempt.run(problem, [&] { solve(problem.a, problem.b, problem.c, problem.n); });
    attempt.launches(1);
    attempt.threads_at_least(problem.n);
    attempt.stores_at_most(problem.n * sizeof(float));
    attempt.past_32_bits([&](std::size_t n, std::size_t first) {
        solve(problem.a - first, problem.b - first, problem.c - first, n);
    });
}
