// 20.1: Tiles at the matrix edge
// minutes: 15
// difficulty: 2
// practises: a guard for each access, tiles that stick out of the matrix
// hint: Take a matrix of 40 rows and 10 columns. Which threads of the first block load an element,
//     and which store one?
// hint: Before the barrier a thread loads element (top + k, left + threadIdx.x) of a. Which element
//     of a does the same thread store after the barrier?
// hint: The store writes row left + k of c, which is a column of a, at position top + threadIdx.x,
//     which is a row of a. Compare the first with columns and the second with rows.
#include "common/exercise.hpp"

#include <cmath>

void solve(const float* a, float* c, std::size_t rows, std::size_t columns);

void goals(common::Attempt& attempt)
{
    // One seed has tall matrices, the other wide ones, and no side is a multiple of anything much.
    const common::Setting setting = attempt;
    const auto side = static_cast<std::size_t>(std::sqrt(attempt.n()));
    const std::size_t rows = setting.seed % 2 == 1 ? side * 3 / 2 : side;
    const std::size_t columns = setting.seed % 2 == 1 ? side : side * 3 / 2;
    common::Arrays<float> problem(
        attempt, {.task = "transpose", .n = rows * columns, .columns = rows},
        [=](auto& in, std::size_t i) { return in.a[i % rows * columns + i / rows]; });
    attempt.run(problem, [&] { solve(problem.a, problem.c, rows, columns); });
    attempt.launches(1);
    attempt.sectors_per_load(5); // rows begin anywhere in a sector
    attempt.sectors_per_store(5);
    attempt.loads_at_most(problem.n * sizeof(float));
    attempt.stores_at_most(problem.n * sizeof(float));
}
