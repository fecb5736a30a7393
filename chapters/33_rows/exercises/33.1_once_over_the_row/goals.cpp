// 33.1: Softmax with the row in registers
// minutes: 15
// difficulty: 1
// practises: arrays in registers, loads that are issued once
// hint: How many elements of a row does one thread load, and which ones?
// hint: An array whose indices are all known at compile time is kept in registers. Fill float
//     x[4] in a loop over k: x[k] is element threadIdx.x + 256 k.
// hint: In the last iteration not all threads have an element. Which value must x[k] have then,
//     so that neither the largest nor the sum changes, and what must not be stored?
#include "chapters/33_rows/row_problem.hpp"
#include "common/exercise.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

void solve(const __nv_bfloat16* a, __nv_bfloat16* c, unsigned rows, unsigned columns);

void goals(common::Attempt& attempt)
{
    const std::size_t rows = std::max<std::size_t>(attempt.n() / 1000, 1);
    RowProblem problem(
        attempt, RowResult::softmax, {.columns = 1000, .rows = rows},
        [](double x, double, const RowTotals& row) { return std::exp(x) / row.exponentials; });
    problem.expect(300);
    attempt.run(problem,
                [&] { solve(problem.a, problem.c, problem.shape.rows, problem.shape.columns); });
    attempt.launches(1);
    attempt.loads_at_most(problem.size() * sizeof(std::uint16_t));
    attempt.stores_at_most(problem.size() * sizeof(std::uint16_t));
    attempt.keeps_arrays_in_registers();
    attempt.shared_loads_at_most(std::uint64_t{2 * 256 * 8} * problem.shape.rows); // join()'s
}
