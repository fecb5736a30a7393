// 28.2: Lanes that left
// minutes: 10
// difficulty: 2
// practises: shuffles in which every lane takes part
// hint: Let n be 33. Which lanes of the second warp are still there when it shuffles?
// hint: The mask 0xffffffff promises that all 32 lanes take part in a shuffle. What a lane reads of
//     one that has returned is undefined: on some GPU it may be a 0, or what was last there.
// hint: Let no lane return. One that has no element begins with x = 0, and takes part.
#include "common/exercise.hpp"

#include <string>

void solve(const unsigned* a, unsigned* c, std::size_t n);

void goals(common::Attempt& attempt)
{
    using Sum = common::Sum<unsigned, uint4>;
    common::Reduction<Sum> problem(attempt, "sum", attempt.n(), common::Values::random);
    problem.expect(0);
    attempt.run(problem, [&] { solve(problem.a, problem.c, problem.n); });
    attempt.launches(1);
    attempt.loads_at_most(problem.n * sizeof(unsigned));
    const std::uint64_t turns = attempt.counts().atomic_sectors;
    const std::uint64_t warps = (problem.n + 255) / 256 * 8;
    attempt.counted_goal("atomics", "adds to c once a warp at most", turns <= warps,
                         std::to_string(turns) + " turns are taken at c, and there are " +
                             std::to_string(warps) + " warps.");
}
