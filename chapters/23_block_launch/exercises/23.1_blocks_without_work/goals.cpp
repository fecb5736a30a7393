// 23.1: Do not launch empty blocks
// minutes: 20
// difficulty: 2
// practises: the cost of a launched block, grids that fit the work
// hint: How many threads does the grid have, and how many elements the triangle? Which rows have
//     the most idle threads, and which none?
// hint: The first row is the shortest and the last the longest. How many elements do they have
//     together? And the second and the last but one?
// hint: Let a row of the grid process rows y and rows - 1 - y: threads up to y the first of them,
//     the others the second, with x reduced by y + 1. If rows is odd, the middle row is its own
//     partner.
#include "common/exercise.hpp"

#include <algorithm>
#include <cmath>

void solve(const float* a, float* c, std::size_t rows);

namespace {

/// Elements in front of row y of a packed triangle.
std::size_t begin_of_row(std::size_t y)
{
    return y * (y + 1) / 2;
}

/// The row in which element i lies, or whose end it is.
std::size_t row_of(std::size_t i)
{
    auto y = static_cast<std::size_t>((std::sqrt(8.0 * static_cast<double>(i) + 1) - 1) / 2);
    while (begin_of_row(y) > i) {
        --y;
    }
    while (begin_of_row(y + 1) <= i) {
        ++y;
    }
    return y;
}

} // namespace

void goals(common::Attempt& attempt)
{
    const std::size_t rows = std::min<std::size_t>(row_of(attempt.n()), 4'000);
    const std::size_t n = begin_of_row(rows);
    common::Arrays<float> problem(attempt, {.task = "turn round", .n = n},
                                  [](auto& in, std::size_t i) {
                                      const std::size_t y = row_of(i);
                                      return in.a[begin_of_row(y) + y - (i - begin_of_row(y))];
                                  });
    attempt.run(problem, [&] { solve(problem.a, problem.c, rows); });
    attempt.launches(1);
    attempt.threads_per_block(256);
    attempt.threads_at_most((rows + 256) / 256 * 256 * ((rows + 1) / 2));
    attempt.stores_at_most(n * sizeof(float));
    attempt.loads_at_most(n * sizeof(float));
    attempt.sectors_per_load(6); // rows begin anywhere in a sector, and a warp may have two of them
    attempt.sectors_per_store(6);
}
