// 29.2: Block scan from warp scans
// minutes: 10
// difficulty: 1
// practises: barriers between writes of some warps and reads of others
// hint: Which warp may be the first to reach the loop over the sums?
// hint: Warp 7 reads the sums of warps 0 to 6. What guarantees that they have been written by
//     then?
// hint: A barrier is for all threads of the block: it must not be where only some of them pass.
#include "common/exercise.hpp"
#include "common/problem/words.hpp"

#include <numeric>
#include <vector>

void solve(const unsigned* a, unsigned* c, std::size_t n);

void goals(common::Attempt& attempt)
{
    common::Words problem(attempt, "scan of lists", attempt.n(), attempt.n());
    problem.expect_words(problem.n, [&problem](std::size_t i) {
        std::vector<std::uint32_t> list(i % 256 + 1);
        problem.input(i / 256 * 256, list.size(), list.data());
        return std::accumulate(list.begin(), list.end(), 0U);
    });
    attempt.run(problem, [&] { solve(problem.a, problem.c, problem.n); });
    attempt.launches(1);
    attempt.loads_at_most(problem.n * sizeof(unsigned));
    attempt.stores_at_most(problem.n * sizeof(unsigned));
    attempt.sectors_per_load(4);
}
