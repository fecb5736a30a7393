// 38.3: Pack counters into 16 bits
// minutes: 20
// difficulty: 3
// practises: several counters per word, barriers around work that threads share
// hint: How many elements can a block count before any of its counters can be full, whatever the
//     values are?
// hint: The block can send its counters several times: all threads stop, send, and continue.
//     Which two barriers does that need, and does every thread reach them?
// hint: Count the iterations of the loop, which are the same for all threads of a block: after
//     every 64, a counter has at most 32,768. Then __syncthreads(), send(), __syncthreads().
#include "chapters/30_histogram/histogram.hpp"
#include "common/exercise.hpp"

void solve(const unsigned* a, unsigned* c, std::size_t n);

void goals(common::Attempt& attempt)
{
    const std::uint64_t seed = common::Setting(attempt).seed;
    Histogram<unsigned> problem(attempt, attempt.n(), seed == 1 ? Spread::equal : Spread::skewed,
                                14);
    attempt.run(problem, [&] { solve(problem.a, problem.c, problem.n); });
    attempt.launches(1);
    attempt.threads_at_most(4 * 512);
    attempt.loads_at_most((problem.n + 8) * sizeof(unsigned));
    // a block sends at its end, and after every 32768 elements
    const std::uint64_t most = (4 + problem.n / 32768) * problem.bins / 4;
    attempt.at_most("atomics", "sends counters no more often than every 32768 elements",
                    "atomic sectors", attempt.counts().atomic_sectors, most);
}
