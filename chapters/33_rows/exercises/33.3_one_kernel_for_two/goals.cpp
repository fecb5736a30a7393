// 33.3: Fuse two kernels
// minutes: 25
// difficulty: 2
// practises: fusion, two reductions in one pass
// hint: What does the second kernel need of a row that the first does not know yet, and what
//     does the first still have in registers when it knows that?
// hint: Let the norm keep x times weight, and compute two things at once: the sum of the squares
//     of x, and the largest |x times weight|. Then nothing is missing.
// hint: The root is the same for the whole row: it changes the scale, and no result. The scale
//     is root * largest / 448, a result x * weight * 448 / largest.
#include "chapters/33_rows/row_problem.hpp"
#include "common/exercise.hpp"

#include <algorithm>
#include <cstdint>

void solve(const __nv_bfloat16* a, const __nv_bfloat16* w, __nv_bfloat16* between, __nv_fp8_e4m3* c,
           float* scales, unsigned rows, unsigned columns);

void goals(common::Attempt& attempt)
{
    const std::size_t rows = std::max<std::size_t>(attempt.n() / 1000, 1);
    RowProblem problem(attempt, RowResult::norm_to_fp8, {.columns = 1000, .rows = rows},
                       [](double x, double weight, const RowTotals& row) {
                           return row.largest > 0 ? x * weight * largest_fp8 / row.largest : 0;
                       });
    problem.expect(40, true);
    attempt.run(problem, [&] {
        solve(problem.a, problem.w, problem.c, problem.c8, problem.scales, problem.shape.rows,
              problem.shape.columns);
    });
    attempt.launches(1);
    attempt.loads_at_most(2 * problem.size() * sizeof(std::uint16_t));
    attempt.stores_at_most(problem.size() + rows * sizeof(float));
}
