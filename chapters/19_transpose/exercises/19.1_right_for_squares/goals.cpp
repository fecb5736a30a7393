// 19.1: Transpose rectangular matrices
// minutes: 5
// difficulty: 1
// practises: the index of an element in a matrix and in the transposed one
// hint: Draw a matrix of two rows and three columns, and the transposed one. How many elements does
//     a row of each have?
// hint: An element lies behind all the rows above it. In c there are x of them above element (x,
//     y): how many elements is that?
// hint: Rows of c are columns of a, so each has `rows` elements, and they begin that far apart.
#include "common/exercise.hpp"

void solve(const float* a, float* c, std::size_t rows, std::size_t columns);

void goals(common::Attempt& attempt)
{
    // One seed has tall matrices, the other wide ones.
    const common::Setting setting = attempt;
    const std::size_t other = (attempt.n() + 99) / 100;
    const std::size_t rows = setting.seed % 2 == 1 ? 100 : other;
    const std::size_t columns = setting.seed % 2 == 1 ? other : 100;
    common::Arrays<float> problem(
        attempt, {.task = "transpose", .n = rows * columns, .columns = rows},
        [=](auto& in, std::size_t i) { return in.a[i % rows * columns + i / rows]; });
    attempt.run(problem, [&] { solve(problem.a, problem.c, rows, columns); });
    attempt.launches(1);
    attempt.loads_at_most(problem.n * sizeof(float));
    attempt.stores_at_most(problem.n * sizeof(float));
    attempt.takes("row", "a matrix of a single row of 2,200,000",
                  [&] { solve(problem.a, problem.c, 1, 2'200'000); });
}
