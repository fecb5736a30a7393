// 32.3: Sparse rows without elements
// minutes: 15
// difficulty: 2
// practises: compressed sparse rows, a search among equal numbers
// hint: Let row 3 have no elements. What do start[3] and start[4] have in common?
// hint: Several rows may start at i, and only one of them has element i. Which one?
// hint: Of the rows that start at i or before, the last one has it. So do not stop at the first
//     one found, and treat rows that start at i like rows that start before.
#include "chapters/32_matrix_vector/sparse_rows.hpp"
#include "common/exercise.hpp"

void solve(const unsigned* start, const unsigned* column, const float* value, const float* x,
           float* c, unsigned rows, unsigned count);

void goals(common::Attempt& attempt)
{
    SparseRows problem(attempt, attempt.n(), Pattern::uneven);
    problem.expect([&problem](std::size_t r) {
        RowSum sum;
        for (std::size_t i = problem.first(r); i < problem.first(r + 1); ++i)
            sum.add(problem.element(i), problem.vector_element(problem.column_of(r, i)));
        return sum;
    });
    attempt.run(problem, [&] {
        solve(problem.start, problem.column, problem.value, problem.x, problem.c,
              static_cast<unsigned>(problem.rows), static_cast<unsigned>(problem.count));
    });
    attempt.launches(1);
    std::size_t steps = 1; // of a search among the rows
    while (problem.rows >> steps != 0)
        ++steps;
    attempt.loads_at_most((problem.count * (4 + steps) + 1024) * sizeof(float));
}
