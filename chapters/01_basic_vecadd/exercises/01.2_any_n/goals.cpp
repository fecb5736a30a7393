// 01.2: Bounds check for any n
// minutes: 5
// difficulty: 1
// practises: rounding up the number of blocks, the bounds check
// hint: How many blocks are launched for n = 1, and how many for n = 1009? How many threads is
//     that, and how many elements are there?
// hint: The division rounds down, so the elements after the last whole block have no thread. If it
//     rounds up, the last block has threads without an element. What do they do?
// hint: Launch (n + threads - 1) / threads blocks. Pass n to the kernel, and let a thread add only
//     if its index is below n.
#include "common/exercise.hpp"

void solve(const float* a, const float* b, float* c, std::size_t n);

void goals(common::Attempt& attempt)
{
    common::VectorAdd problem(attempt);
    attempt.run(problem, [&] { solve(problem.a, problem.b, problem.c, problem.n); });
    attempt.launches(1);
    attempt.threads_at_least(problem.n);
    attempt.stores_at_most(problem.n * sizeof(float));
}
