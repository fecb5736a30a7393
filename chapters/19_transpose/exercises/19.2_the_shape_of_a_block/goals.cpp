// 19.2: Choose the block shape
// minutes: 15
// difficulty: 2
// practises: which elements a warp covers, scattered loads instead of scattered stores
// hint: Which 32 elements of a does the first warp of a block load? How many rows and columns must
//     it cover so that its stores are four runs of eight floats?
// hint: threadIdx.x changes fastest within a warp. To store along a row of c, threadIdx.x must run
//     down a column of a: let it select y, not x. The width of the block is then the number of rows
//     that a warp covers.
// hint: A block of 8 x 32 threads: y comes from blockIdx.x and threadIdx.x, x from blockIdx.y and
//     threadIdx.y, and the grid is transposed as well, rows first.
#include "common/exercise.hpp"

#include <cmath>

void solve(const float* a, float* c, std::size_t rows, std::size_t columns);

void goals(common::Attempt& attempt)
{
    const common::Setting setting = attempt;
    const auto side = static_cast<std::size_t>(std::sqrt(attempt.n()) + 8) / 8 * 8;
    const std::size_t rows = setting.seed % 2 == 1 ? side + 8 : side;
    const std::size_t columns = setting.seed % 2 == 1 ? side : side + 8;
    common::Arrays<float> problem(
        attempt, {.task = "transpose", .n = rows * columns, .columns = rows},
        [=](auto& in, std::size_t i) { return in.a[i % rows * columns + i / rows]; });
    attempt.run(problem, [&] { solve(problem.a, problem.c, rows, columns); });
    attempt.launches(1);
    attempt.sectors_per_store(4);
    attempt.sectors_per_load(8);
    attempt.shared_loads_at_most(0);
    attempt.stores_at_most(problem.n * sizeof(float));
}
