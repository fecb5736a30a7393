// 16.2: Convert array of structures to structure of arrays
// minutes: 25
// difficulty: 3
// practises: array of structures and structure of arrays, staging in shared memory, banks
// hint: The records of a block are 3 * 256 contiguous floats. In which order would 256 threads load
//     them so that adjacent threads load adjacent floats, whatever their field?
// hint: The thread that loads a float is then not the one that stores it. Exchange the values in
//     shared memory, with a barrier in between. Which banks do the lanes access when they read
//     field k?
// hint: tile[j] = a[3 * first + j] for j = threadIdx.x, + 256, + 512, as far as the block has
//     floats. After the barrier, the thread of a record reads tile[3 * threadIdx.x + k] for each k.
#include "common/exercise.hpp"

void solve(const float* a, float* c, std::size_t n);

void goals(common::Attempt& attempt)
{
    const std::size_t n = attempt.n();
    common::Arrays<float> problem(attempt, {.task = "records to fields", .n = 3 * n},
                                  [n](auto& in, std::size_t i) { return in.a[i % n * 3 + i / n]; });
    attempt.run(problem, [&] { solve(problem.a, problem.c, n); });
    attempt.launches(1);
    attempt.sectors_per_load(4);
    attempt.sectors_per_store(5); // the second and the third field begin anywhere in a sector
    attempt.no_bank_conflicts();
    attempt.loads_at_most(problem.n * sizeof(float));
    attempt.stores_at_most(problem.n * sizeof(float));
}
