// 38.1: Find the owner of a distributed counter
// minutes: 10
// difficulty: 1
// practises: a table partitioned over blocks, owner and position
// hint: Block 0 has the counters 0 to partition - 1, block 1 those from partition to 2 *
//     partition - 1. Which block has counter x?
// hint: Within a block, the first counter has position 0. What is left of x if the counters of
//     the blocks before are subtracted?
// hint: The owner is x / partition and the position x % partition. A block that is not the owner
//     returns partition.
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
