// 32.2: Reuse the vector for four rows
// minutes: 20
// difficulty: 2
// practises: reuse in registers, a number of rows that four does not divide
// hint: What in the inner loop depends on the row, and what does not?
// hint: Four sums, in an array of constant size with loops that the compiler can unroll, stay in
//     registers. Load x[k] before the loop over the four rows.
// hint: Warp w has the rows 4 w to 4 w + 3, if they exist: guard the loads of the matrix and the
//     stores, not the shuffles. A fourth of the warps is enough.
#include "chapters/32_matrix_vector/matrix_vector.hpp"
#include "common/exercise.hpp"

void solve(const float* a, const float* x, float* c, std::size_t rows, std::size_t columns,
           std::size_t pitch);

void goals(common::Attempt& attempt)
{
    const std::size_t columns = common::Setting(attempt).seed == 1 ? 201 : 333;
    MatrixVector<float> problem(attempt, {.extent = common::matrix_of(attempt.n(), columns)},
                                Order::rows);
    problem.expect([&problem](std::size_t r) {
        RowSum sum;
        for (std::size_t k = 0; k < problem.columns; ++k)
            sum.add(problem.element(r, k), problem.vector_element(k));
        return sum;
    });
    attempt.run(problem, [&] {
        solve(problem.a, problem.x, problem.c, problem.rows, problem.columns, problem.pitch);
    });
    attempt.launches(1);
    const std::size_t fours = (problem.rows + 3) / 4;
    attempt.loads_at_most((problem.rows + fours) * problem.columns * sizeof(float));
    attempt.sectors_per_load(5);
}
