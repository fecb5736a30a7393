// 37.2: Grid barrier between steps
// minutes: 10
// difficulty: 1
// practises: barriers of a block and of a grid
// hint: Which thread computes the word that the last thread of a block needs in the next step?
// hint: __syncthreads() is a barrier of one block. What guarantees that the other blocks have
//     computed their words of this step?
// hint: A cooperative launch gives a kernel a barrier for all of its blocks:
//     cooperative_groups::this_grid().sync(). All threads must reach it, also those without a
//     word.
#include "common/exercise.hpp"
#include "common/problem/words.hpp"

#include <algorithm>

void solve(const unsigned* a, unsigned* c, std::size_t n, std::size_t m);

void goals(common::Attempt& attempt)
{
    const std::size_t m = 5000;
    common::Words problem(attempt, "steps", attempt.n(), attempt.n());
    problem.expect(problem.n, common::computed_once<unsigned>(problem.n, [&](unsigned* c) {
                       problem.input(0, problem.n, c);
                       for (std::size_t piece = m; piece < problem.n; piece += m)
                           for (std::size_t i = 0; i < std::min(m, problem.n - piece); ++i)
                               c[piece + i] += c[piece - m + (i + 1 == m ? 0 : i + 1)];
                   }));
    attempt.run(problem, [&] { solve(problem.a, problem.c, problem.n, m); });
    attempt.launches(1);
}
