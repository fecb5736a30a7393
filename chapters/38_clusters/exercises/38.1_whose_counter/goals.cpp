// 38.1: Find the owner of a distributed counter
// minutes: 10
// difficulty: 1
// practises: a table of which each block has a part, rank and place
// hint: Block 0 has the counters 0 to share - 1, block 1 those from share to 2 * share - 1. Who
//     has counter number x?
// hint: Among its block's own, the first one has place 0. What is left of x when those of the
//     blocks before are taken away?
// hint: The owner is x / share and the place x % share. A block that is not the owner returns
//     share.
#include "chapters/30_histogram/histogram.hpp"
#include "common/exercise.hpp"

void solve(const unsigned* a, unsigned* c, std::size_t n, unsigned groups, unsigned blocks);

void goals(common::Attempt& attempt)
{
    const unsigned groups = 2;
    const unsigned blocks = attempt.n() % 2 == 0 ? 8 : 7;
    Histogram<unsigned> problem(attempt, attempt.n(), Spread::uniform, 16);
    attempt.run(problem, [&] { solve(problem.a, problem.c, problem.n, groups, blocks); });
    attempt.launches(1);
    attempt.loads_at_most((problem.n + 64) * sizeof(unsigned) * blocks);
    const std::uint64_t most = groups * problem.bins / 6; // shares begin within sectors
    attempt.at_most("atomics", "adds to c what blocks have counted, and nothing else",
                    "atomic sectors", attempt.counts().atomic_sectors, most);
}
