// 14.2: Fill the last row of a pitched matrix
// minutes: 20
// difficulty: 2
// practises: a grid over rows and columns, a guard for the matrix and one for the array
// hint: How many rows has c if n is not a multiple of `columns`? Which of their elements does no
//     thread of the starter write?
// hint: Let the grid cover the matrix instead of the array: threads in x for the columns, in y for
//     the rows, as copy_matrix of the page does. Then there is a thread for each missing element.
// hint: rows is n / columns, rounded up. A thread with x < columns and y < rows writes: element y *
//     columns + x of a if that index is less than n, otherwise zero.
#include "common/exercise.hpp"

void solve(const float* a, std::size_t n, float* c, std::size_t columns, std::size_t pitch);

void goals(common::Attempt& attempt)
{
    const std::uint64_t seed = common::Setting(attempt).seed; // 1 or 2
    // A grid has at most 65,535 blocks in y: the large arrays of a GPU get longer rows.
    const std::size_t columns = attempt.n() > 10'000'000 ? 10'000 : 100 * seed;
    const std::size_t n = attempt.n();
    const std::size_t all = (n + columns - 1) / columns * columns;
    const std::size_t rows = all / columns;
    common::Arrays<float> problem(
        attempt,
        {.task = "pack",
         .n = all,
         .columns = columns,
         .pitched = true,
         .bytes = (n + all) * sizeof(float)},
        [=](auto& in, std::size_t i) { return i < n ? in.a[i + all - n] : 0.0f; });
    common::Buffer<float> dense; // the answer gets its last n elements: nothing lies behind them
    attempt.run(problem, [&] {
        const std::size_t width = columns * sizeof(float);
        dense = common::Buffer<float>(all);
        CHECK_CUDA(cudaMemcpy2D(dense.data(), width, problem.a, problem.pitch(), width, rows,
                                cudaMemcpyDeviceToDevice));
        solve(dense.data() + (all - n), n, problem.c, columns, problem.pitch());
    });
    attempt.launches(1);
    attempt.loads_at_most(n * sizeof(float));
    attempt.stores_at_most(all * sizeof(float));
    attempt.sectors_per_store(4);
}
