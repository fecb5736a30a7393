// 29.1: Warp scan with shuffles
// minutes: 15
// difficulty: 1
// practises: the scan of a warp by shuffles
// hint: After a round in which each lane adds the value of the lane before it, what does lane 5
//     hold? Which lane has the rest of its sum?
// hint: __shfl_up_sync(0xffffffff, x, 4) gives lane l the x of lane l - 4; lanes 0 to 3 get
//     their own. Distances 1, 2, 4, 8 and 16 are enough.
// hint: Start with x = 0 if i is not below n, so that all lanes take part. In each round, add
//     only in lanes that have a lane that far to their left. Store c[i] after the rounds.
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
