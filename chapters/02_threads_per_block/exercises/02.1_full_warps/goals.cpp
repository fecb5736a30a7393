// 02.1: Round the block size to full warps
// minutes: 5
// difficulty: 1
// practises: blocks, warps and lanes; requests
// hint: A request is one load of one warp. How many elements does a request of the starter load,
//     and how many could it load?
// hint: A warp has 32 lanes, all from one block. So a block needs a multiple of 32 threads, or its
//     last warp is not full.
// hint: Launch 256 threads per block, and as many blocks as n needs, rounded up. The index must
//     include the threads of the preceding blocks, as in chapter 01.
#include "common/exercise.hpp"

void solve(const float* a, const float* b, float* c, std::size_t n);

void goals(common::Attempt& attempt)
{
    common::VectorAdd problem(attempt);
    attempt.run(problem, [&] { solve(problem.a, problem.b, problem.c, problem.n); });
    attempt.launches(1);
    attempt.stores_at_most(problem.n * sizeof(float));
    attempt.threads_at_most(problem.n);
    attempt.load_requests_at_most(2 * ((problem.n + 31) / 32));
    attempt.past_32_bits([&](std::size_t n, std::size_t first) {
        solve(problem.a - first, problem.b - first, problem.c - first, n);
    });
    attempt.share_of_copy(0.60);
}
