// 29.1: Warp scan with shuffles
// minutes: 15
// difficulty: 1
// practises: the scan of a warp by shuffles
// hint: After a round in which each lane adds what the lane before it has, what does lane 5 hold?
//     Who has what it still lacks?
// hint: __shfl_up_sync(0xffffffff, x, 4) gives lane l what lane l - 4 has in x; lanes 0 to 3 get
//     their own. Distances 1, 2, 4, 8 and 16 are enough.
// hint: Begin with x = 0 where i is not below n, so that all lanes take part. In each round let
//     those lanes add that have a lane so far to their left. Store c[i] behind the rounds.
#include "common/exercise.hpp"
#include "common/problem/words.hpp"

#include <numeric>
#include <vector>

void solve(const unsigned* a, unsigned* c, std::size_t n);

void goals(common::Attempt& attempt)
{
    common::Words problem(attempt, "scan of lists", attempt.n(), attempt.n());
    problem.expect_words(problem.n, [&problem](std::size_t i) {
        std::vector<std::uint32_t> list(i % 32 + 1);
        problem.input(i / 32 * 32, list.size(), list.data());
        return std::accumulate(list.begin(), list.end(), 0U);
    });
    attempt.run(problem, [&] { solve(problem.a, problem.c, problem.n); });
    attempt.launches(1);
    attempt.loads_at_most(problem.n * sizeof(unsigned));
    attempt.stores_at_most(problem.n * sizeof(unsigned));
    attempt.load_requests_at_most((problem.n + 31) / 32);
    attempt.shared_loads_at_most(0);
}
