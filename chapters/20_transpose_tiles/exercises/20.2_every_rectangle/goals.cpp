// 20.2: Tiled transpose for any rectangle
// minutes: 35
// difficulty: 3
// practises: a tiled transposition: coalesced, without bank conflicts, for any sides
// hint: Which of load and store is scattered here? A block that loads a tile of 32 x 32 elements
//     along rows of a can store it along rows of c, if its threads exchange what they have loaded.
// hint: Each access to a or c needs a guard about its own element, and the barrier between stands
//     outside of all guards. A column of a tile whose rows are 32 words long lies in one bank.
// hint: Let rows of the tile be 33 words long, or put element (y, x) at x ^ y. After the barrier
//     the thread takes the element of the tile at row threadIdx.x, and writes it to row left + k of
//     c, at place top + threadIdx.x. A grid has at most 65535 blocks in y: number the tiles in x.
#include "common/exercise.hpp"

#include <cmath>

void solve(const float* a, float* c, std::size_t rows, std::size_t columns);

void goals(common::Attempt& attempt)
{
    // One seed has two rows for three columns, the other three columns and as many rows as fit.
    const common::Setting setting = attempt;
    const auto side = static_cast<std::size_t>(std::sqrt(attempt.n()));
    const bool thin = setting.seed % 2 == 0;
    const std::size_t rows = thin ? (attempt.n() + 2) / 3 : side;
    const std::size_t columns = thin ? 3 : side * 3 / 2;
    common::Arrays<float> problem(
        attempt, {.task = "transpose", .n = rows * columns, .columns = rows},
        [=](auto& in, std::size_t i) { return in.a[i % rows * columns + i / rows]; });
    attempt.run(problem, [&] { solve(problem.a, problem.c, rows, columns); });
    attempt.launches(1);
    attempt.sectors_per_load(5); // rows begin anywhere in a sector
    attempt.sectors_per_store(5);
    attempt.loads_at_most(problem.n * sizeof(float));
    attempt.stores_at_most(problem.n * sizeof(float));
    attempt.no_bank_conflicts();
    constexpr std::size_t many = 2'200'000; // more than 65535 tiles
    attempt.takes("column", "a matrix of a single column",
                  [&] { solve(problem.a, problem.c, many, 1); });
    attempt.takes("row", "a matrix of a single row", [&] { solve(problem.a, problem.c, 1, many); });
    attempt.share_of_copy(0.50);
}
