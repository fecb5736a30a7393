// 37.1: One launch for all pieces
// minutes: 10
// difficulty: 1
// practises: two-dimensional grids, fewer launches
// hint: With a single launch, how does a thread know its piece?
// hint: A grid has a second dimension. Let blockIdx.y be the number of the piece, and let the
//     first dimension have as many blocks as a whole piece needs.
// hint: A thread past the end of its piece must do nothing, although there are words after it:
//     they belong to the next piece. The last piece may have fewer words than m.
#include "common/exercise.hpp"
#include "common/problem/words.hpp"

void solve(const unsigned* a, unsigned* c, std::size_t n, std::size_t m);

void goals(common::Attempt& attempt)
{
    const std::size_t m = common::Setting(attempt).seed == 1 ? 1000 : 3000;
    common::Words problem(attempt, "pieces", attempt.n(), attempt.n());
    problem.expect(problem.n, [&problem, m](std::size_t first, std::size_t count, void* out) {
        auto* words = static_cast<std::uint32_t*>(out);
        problem.input(first, count, words);
        for (std::size_t k = 0; k < count; ++k)
            words[k] += static_cast<std::uint32_t>((first + k) / m);
    });
    attempt.run(problem, [&] { solve(problem.a, problem.c, problem.n, m); });
    attempt.launches(1);
    attempt.stores_at_most(problem.n * sizeof(unsigned));
    attempt.sectors_per_load(4);
}
