// 33.2: Softmax without overflow
// minutes: 15
// difficulty: 1
// practises: the range of a float, reductions by shuffles
// hint: The largest float is 3.4e38, the smallest normal one 1.2e-38. What is e^100, and e^-120?
// hint: e^x over a sum does not change if numerator and denominator are divided by the same
//     number. By which, so that nothing overflows, whatever the row?
// hint: Subtract the row's largest element from each x. Every lane needs it before the first
//     e^x: one more pass, and five shuffles that keep the larger of two values.
#include "chapters/33_rows/row_problem.hpp"
#include "common/exercise.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

void solve(const __nv_bfloat16* a, __nv_bfloat16* c, unsigned rows, unsigned columns);

void goals(common::Attempt& attempt)
{
    const std::size_t rows = std::max<std::size_t>(attempt.n() / 1000, 8);
    RowProblem problem(
        attempt, RowResult::softmax, {.columns = 1000, .rows = rows},
        [](double x, double, const RowTotals& row) { return std::exp(x) / row.exponentials; });
    problem.expect(40);
    attempt.run(problem,
                [&] { solve(problem.a, problem.c, problem.shape.rows, problem.shape.columns); });
    attempt.launches(1);
    attempt.loads_at_most(3 * problem.size() * sizeof(std::uint16_t));
    attempt.sectors_per_load(3);
}
