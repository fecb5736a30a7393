// 29.3: Write the scan once
// minutes: 15
// difficulty: 2
// practises: a scan in three kernels, and the bytes that it moves
// hint: What does the third kernel read from c that it could compute from something else?
// hint: The third kernel has `a`, too, and no kernel needs c before it: the first kernel only
//     has to store the sums.
// hint: Let the first kernel store no c. Let the third scan its list of `a` again, add the sum
//     of the lists before, and store c.
#include "common/exercise.hpp"
#include "common/problem/arrays.hpp"

#include <numeric>

void solve(const unsigned* a, unsigned* c, unsigned* sums, std::size_t n);

void goals(common::Attempt& attempt)
{
    common::Arrays<unsigned> problem(attempt, {.task = "scan"});
    problem.expect_all(
        [n = problem.n](const unsigned* a, unsigned* c) { std::partial_sum(a, a + n, c); });
    const common::Buffer<unsigned> scratch((problem.n + 255) / 256);
    attempt.run(problem, [&] { solve(problem.a, problem.c, scratch.data(), problem.n); });
    attempt.launches(3);
    attempt.at_most("atomics", "adds nothing where it lies", "requests add",
                    attempt.counts().atomic_requests, 0);
    const std::uint64_t sums = (problem.n + 255) / 256 * sizeof(unsigned);
    attempt.load_requests_at_most(3 * ((problem.n + 31) / 32) + 2 * sums);
    attempt.stores_at_most(problem.n * sizeof(unsigned) + 2 * sums);
    attempt.loads_at_most(3 * problem.n * sizeof(unsigned) + 2 * sums); // a lane requests its sum
}
