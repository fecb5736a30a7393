// 02.2: Take the index from the block size
// minutes: 5
// difficulty: 1
// practises: blockDim in the index and in the number of blocks; overlapping writes
// hint: Which elements does block 0 of the starter add, from which to which? Which does block 1?
// hint: Blocks begin 256 elements apart, and each is 512 long. So all but the first 256 elements
//     belong to two blocks. Where does the distance of 256 come from?
// hint: The number of threads in a block counts in three places: the launch, the number of blocks
//     and the index. Let all three take it from the same constant, or the kernel from blockDim.x.
#include "common/exercise.hpp"

void solve(const float* a, const float* b, float* c, std::size_t n);

void goals(common::Attempt& attempt)
{
    common::VectorAdd problem(attempt);
    attempt.run(problem, [&] { solve(problem.a, problem.b, problem.c, problem.n); });
    attempt.launches(1);
    attempt.threads_per_block(512);
    attempt.stores_at_most(problem.n * sizeof(float));
    attempt.threads_at_most(problem.n);
}
