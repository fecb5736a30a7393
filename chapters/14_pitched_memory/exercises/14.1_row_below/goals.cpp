// 14.1: Index a pitched matrix
// minutes: 10
// difficulty: 1
// practises: the pitch, in bytes and in elements
// hint: In which unit does cudaMallocPitch state the pitch, and in which does an index of a float
//     array count?
// hint: The address of row 1 is `pitch` bytes behind that of row 0. How many floats is that?
// hint: Compute the distance of two rows in elements first, pitch / sizeof(float), and use it
//     wherever the kernel multiplies by a row.
#include "common/exercise.hpp"

void solve(const float* a, float* c, std::size_t columns, std::size_t rows, std::size_t pitch);

void goals(common::Attempt& attempt)
{
    const std::uint64_t seed = common::Setting(attempt).seed; // 1 or 2
    // A grid has at most 65,535 blocks in y: the large arrays of a GPU get longer rows.
    const std::size_t columns = attempt.n() > 10'000'000 ? 10'000 : 100 * seed;
    const std::size_t rows = (attempt.n() + columns - 1) / columns;
    const std::size_t n = rows * columns;
    common::Arrays<float> problem(
        attempt, {.task = "row below", .n = n, .columns = columns, .pitched = true},
        [=](auto& in, std::size_t i) {
            return in.a[i] + (i + columns < n ? in.a[i + columns] : 0.0f);
        });
    attempt.run(problem, [&] { solve(problem.a, problem.c, columns, rows, problem.pitch()); });
    attempt.launches(1);
    attempt.sectors_per_load(4);
    attempt.sectors_per_store(4);
    attempt.stores_at_most(n * sizeof(float));
}
