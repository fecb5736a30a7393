// 02.2: Take the index from the block size
// minutes: 5
// difficulty: 1
// practises: blockDim in the index and in the number of blocks; overlapping writes
// hint: Which is the first and which the last element that block 0 of the starter adds? And block
//     1?
// hint: Blocks begin 256 elements apart, but each adds 512. So all elements but the first 256
//     belong to two blocks. Where does the distance of 256 come from?
// hint: The block size is needed in three places: the launch, the number of blocks and the index.
//     Use the same constant in all three, or blockDim.x in the kernel.
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
