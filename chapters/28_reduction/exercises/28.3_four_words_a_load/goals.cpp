// 28.3: Vectorized reduction
// minutes: 15
// difficulty: 2
// practises: 16-byte loads, and words after the last whole vector
// hint: Which CUDA type has four words, and is loaded by one instruction?
// hint: Treat a as a const uint4*. It has n / 4 whole vectors, and the loop runs over them as it
//     runs over words now. What remains, and how many words can that be?
// hint: The n % 4 words after the last vector begin at a[n / 4 * 4]. Let threads 0 to n % 4 - 1
//     of block 0 add one each, before the shuffles.
#include "chapters/28_reduction/reduction.hpp"
#include "common/exercise.hpp"

void solve(const unsigned* a, unsigned* c, std::size_t n, unsigned blocks);

void goals(common::Attempt& attempt)
{
    unsigned blocks = 30; // fewer than the elements have need of
    if (common::backend() == common::Backend::gpu) {
        blocks = 8 * common::attribute(cudaDevAttrMultiProcessorCount);
    }
    Reduction<unsigned, unsigned> problem(attempt, "sum", attempt.n(), Values::random);
    problem.expect(0);
    attempt.run(problem, [&] { solve(problem.a, problem.c, problem.n, blocks); });
    attempt.launches(1);
    attempt.threads_at_most(std::size_t{blocks} * 256);
    attempt.loads_at_most(problem.n * sizeof(unsigned));
    attempt.load_requests_at_most((problem.n / 4 + 31) / 32 + 1);
    attempt.threads_at_least(std::size_t{blocks} * 256);
}
