// 33.1: Softmax with the row in registers
// minutes: 15
// difficulty: 1
// practises: arrays that are registers, loads that are made once
// hint: How many elements of a row does one thread load, and which ones?
// hint: An array whose indices are all known when the kernel is compiled lies in registers. Let a
//     thread fill float x[4] in a loop over k, of which element threadIdx.x + 256 k is number k.
// hint: In the last round not all threads have an element. What has to be in x[k] then, so that
//     neither the largest nor the sum changes, and what must not be stored?
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
