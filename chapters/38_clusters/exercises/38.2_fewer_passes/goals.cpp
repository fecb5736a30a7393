// 38.2: Fewer passes with more shared memory
// minutes: 15
// difficulty: 2
// practises: shared memory beyond 48 KiB, passes over an input
// hint: How much shared memory does a block have by default? How much do half of the counters
//     take?
// hint: Beyond 48 KiB, a kernel's limit must be raised before the launch: a call of the runtime
//     sets an attribute of the function.
// hint: Let a block have 2^14 counters, and call cudaFuncSetAttribute(histogram,
//     cudaFuncAttributeMaxDynamicSharedMemorySize, bytes) before the launches.
#include "chapters/30_histogram/histogram.hpp"
#include "common/exercise.hpp"

void solve(const unsigned* a, unsigned* c, std::size_t n, unsigned blocks);

void goals(common::Attempt& attempt)
{
    constexpr unsigned blocks = 4; // fewer than there are words for
    const std::uint64_t seed = common::Setting(attempt).seed;
    Histogram<unsigned> problem(attempt, attempt.n(), seed == 1 ? Spread::skewed : Spread::uniform,
                                15);
    attempt.run(problem, [&] { solve(problem.a, problem.c, problem.n, blocks); });
    attempt.loads_at_most(2 * (problem.n + 8) * sizeof(unsigned));
    const std::uint64_t most = blocks * problem.bins / 8;
    attempt.at_most("atomics", "adds to c what blocks have counted, and nothing else",
                    "atomic sectors", attempt.counts().atomic_sectors, most);
}
