// 34.2: Quantize a row of zeros
// minutes: 10
// difficulty: 1
// practises: a scale per row, results that are not a number
// hint: What are `top` and `factor` of a row in which all elements are 0?
// hint: 448 / 0 is infinite, and 0 times infinity is not a number.
// hint: Let `factor` be 0 if `top` is 0.
#include "chapters/34_narrow_types/quantised_rows.hpp"
#include "common/exercise.hpp"

void solve(const __nv_bfloat16* a, __nv_fp8_e4m3* c, float* scale, std::size_t rows,
           std::size_t columns);

void goals(common::Attempt& attempt)
{
    QuantisedRows<__nv_fp8_e4m3> problem(
        attempt, {.columns = 200, .rows = (attempt.n() + 99) / 200 + 1},
        [](float x, float largest) {
            return largest > 0 ? x * (largest_number<__nv_fp8_e4m3> / largest) : 0;
        });
    attempt.run(problem,
                [&] { solve(problem.a, problem.c, problem.scale, problem.rows, problem.columns); });
    attempt.launches(1);
}
