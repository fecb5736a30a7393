// 32.1: GEMV with one warp per row
// minutes: 15
// difficulty: 1
// practises: coalesced loads of a matrix, sums over the lanes of a warp
// hint: In one iteration of the loop, how far apart are the addresses of two neighbouring lanes?
// hint: Let 32 threads have the same r, and lane l the columns l, l + 32, l + 64 and so on. What
//     remains to be done when a lane has summed its own?
// hint: r is the thread's number divided by 32, the grid has 32 threads per row, and after five
//     rounds of __shfl_down_sync lane 0 has the sum and stores it.
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
    attempt.sectors_per_load(5);
    attempt.load_requests_at_most(2 * problem.rows * ((problem.columns + 31) / 32));
    attempt.at_most("atomics", "adds to c once per row at most", "serialized additions to c",
                    attempt.counts().atomic_sectors, problem.rows);
}
