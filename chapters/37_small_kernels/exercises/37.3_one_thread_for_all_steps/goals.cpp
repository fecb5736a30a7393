// 37.3: One launch for independent steps
// minutes: 15
// difficulty: 2
// practises: fusion of steps, values that stay in registers
// hint: Which words does the thread of word i read and write, over all steps?
// hint: No other thread needs the result of a thread's step. It can stay in a register while the
//     thread goes from piece to piece.
// hint: A loop over the pieces, in the kernel: x += a[piece + i], then c[piece + i] = x. It ends
//     at the first piece without a word i.
#include "common/exercise.hpp"
#include "common/problem/words.hpp"

#include <algorithm>

void solve(const unsigned* a, unsigned* c, std::size_t n, std::size_t m);

void goals(common::Attempt& attempt)
{
    const std::size_t m = 3000;
    common::Words problem(attempt, "steps", attempt.n(), attempt.n());
    problem.expect(problem.n, common::computed_once<unsigned>(problem.n, [&](unsigned* c) {
                       problem.input(0, problem.n, c);
                       for (std::size_t piece = m; piece < problem.n; piece += m)
                           for (std::size_t i = 0; i < std::min(m, problem.n - piece); ++i)
                               c[piece + i] += c[piece - m + i];
                   }));
    attempt.run(problem, [&] { solve(problem.a, problem.c, problem.n, m); });
    attempt.launches(1);
    attempt.loads_at_most(problem.n * sizeof(unsigned));
    attempt.stores_at_most(problem.n * sizeof(unsigned));
}
